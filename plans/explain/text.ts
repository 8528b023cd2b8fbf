/** An explained plan as a tree of lines, and several strategies side by side. */
import { cost, count, money } from './numbers.js';
import type { ExplainedNode, ExplainedPlan, Measured } from './placement.js';

export interface TextOptions {
  /** Also why each node stands where it stands. */
  readonly reasons?: boolean;
}

/** The tree, the result on top, and a line with the sums. */
export function planText(plan: ExplainedPlan, { reasons = false }: TextOptions = {}): string {
  const lines = nodeLines(plan.root, '', '', reasons);
  const total = [`${count(plan.calls)} calls`, money(plan.usd), `${count(plan.relationalRows)} relational rows`];
  return [...lines, `Total (${plan.strategy})  est ${total.join(' · ')} · cost ${cost(plan.cost)}`].join('\n');
}

function nodeLines(node: ExplainedNode, first: string, rest: string, reasons: boolean): readonly string[] {
  const branch = node.inputs.length > 0 ? '│  ' : '   ';
  const details = [...estimates(node), ...(reasons ? node.reasons : [])];
  return [
    `${first}${node.title}  est ${count(node.rows)} rows`,
    ...details.map((detail) => `${rest}${branch}${detail}`),
    ...node.inputs.flatMap((input, at) => {
      const last = at === node.inputs.length - 1;
      return nodeLines(input, `${rest}${last ? '└─ ' : '├─ '}`, `${rest}${last ? '   ' : '│  '}`, reasons);
    }),
  ];
}

function estimates({ asks, measured }: ExplainedNode): readonly string[] {
  const estimated =
    asks === undefined
      ? []
      : [`est ${count(asks.distinct)} distinct prompts · ${count(asks.calls)} calls · ${money(asks.usd)}`];
  return measured === undefined ? estimated : [...estimated, `actual ${actual(measured)}`];
}

function actual({ distinct, calls, cached, usd, unpriced }: Measured): string {
  const price = unpriced === 0 ? money(usd) : `${money(usd)} and ${count(unpriced)} calls of unknown price`;
  return [
    `${count(distinct)} distinct prompts`,
    `${count(calls)} calls`,
    ...(cached === 0 ? [] : [`${count(cached)} cached`]),
    price,
  ].join(' · ');
}

/** One row a strategy: its calls, price, relational work and cost, and the order of its semantic operators from below. */
export function compareText(plans: readonly ExplainedPlan[]): string {
  const header = ['strategy', 'calls', 'USD', 'relational rows', 'cost', 'semantic operators, first to last'];
  const rows = plans.map((plan) => [
    plan.strategy,
    count(plan.calls),
    money(plan.usd),
    count(plan.relationalRows),
    cost(plan.cost),
    semanticOrder(plan.root).join(' → '),
  ]);
  const grid = [header, ...rows];
  const widths = header.map((_, column) => Math.max(...grid.map((row) => row[column]?.length ?? 0)));
  return grid
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function semanticOrder(node: ExplainedNode): readonly string[] {
  const below = node.inputs.flatMap(semanticOrder);
  if (!node.kind.startsWith('semantic')) return below;
  const [input] = node.inputs;
  const place = input === undefined || input.kind.startsWith('semantic') ? '' : ` over ${input.id}`;
  return [...below, `${node.id}${place}`];
}
