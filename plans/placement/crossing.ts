/**
 * Whether a semantic filter keeps the result when it moves from an input of an operator to its output, or back: the
 * barriers of PLOP §4.1, and those of SQL that the paper leaves out.
 */
import type { Column } from './condition.js';
import { columnsOf, columnsRead } from './columns.js';
import type { JoinKind, NodeKind, NodeOf, PlanNode } from './tree.js';

/** Why not; undefined: it may. */
type Barrier = string | undefined;

type Rule<Kind extends NodeKind> = (node: NodeOf<Kind>, side: number, reads: readonly Column[]) => Barrier;

const never =
  (why: string): (() => Barrier) =>
  () =>
    why;
const always = (): Barrier => undefined;

const hidden = 'the hidden side of a join that only looks into it';
const nullable = 'the null-producing side of an outer join';

/** Join → what keeps a filter in the left and in the right input. */
const sides: Readonly<Record<JoinKind, readonly [Barrier, Barrier]>> = {
  inner: [undefined, undefined],
  cross: [undefined, undefined],
  left: [undefined, nullable],
  right: [nullable, undefined],
  full: ['a side of a full join', 'a side of a full join'],
  semi: [undefined, hidden],
  anti: [undefined, hidden],
  mark: [undefined, hidden],
  single: [undefined, hidden],
};

const shares = (some: readonly Column[], others: readonly Column[]): boolean =>
  some.some((column) => others.includes(column));

const rules: { readonly [Kind in NodeKind]: Rule<Kind> } = {
  relation: always,
  filter: always,
  where: always,
  project: always,
  join: (node, side, reads) => {
    if (node.lateral === undefined) return sides[node.join][side];
    if (side === 1) return 'a lateral side, which is computed per row of the other';
    return shares(reads, node.lateral) ? 'a lateral join that reads the column' : sides[node.join][side];
  },
  aggregate: never('aggregation'),
  distinct: (node, _, reads) => {
    if (node.on !== undefined) return 'DISTINCT ON';
    return reads.every((column) => node.columns.includes(column)) ? undefined : 'DISTINCT without the column';
  },
  window: never('a window'),
  limit: never('LIMIT or OFFSET'),
  sample: never('SAMPLE'),
  order: always,
  set: never('a set operation'),
  unnest: (node, _, reads) => (shares(reads, columnsRead(node)) ? 'UNNEST of the column' : undefined),
  fence: (node) => node.why,
  'semantic-filter': always,
  'semantic-projection': always,
  'semantic-join': (node, side) => sides[node.join][side],
};

/** What keeps a filter over `reads` from crossing `node` between its output and its input `side`; undefined: nothing. */
export function barrier(node: PlanNode, side: number, reads: readonly Column[]): Barrier {
  if (node.volatile === true) return 'a volatile expression';
  if (node.raises === true) return 'an expression that may raise';
  return (rules[node.kind] as Rule<NodeKind>)(node, side, reads);
}

/** The node with all these columns in its output, as far as a projection dropped them. */
export function keeping(node: PlanNode, reads: readonly Column[]): PlanNode {
  if (node.kind !== 'project') return node;
  const present = columnsOf(node);
  const missing = reads.filter((column) => !present.includes(column));
  return missing.length === 0 ? node : { ...node, keeps: [...node.keeps, ...missing] };
}
