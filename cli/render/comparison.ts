/** Placements side by side, and the plan of each with the reasons. */
import { cost, count, money } from '../../plans/explain/numbers.js';
import { planText } from '../../plans/explain/text.js';
import type { ComparedPlacement, PlacementComparison } from '../../plans/protocol/comparison.js';
import { type GridColumn, grid } from './grid.js';
import { range, usd } from './numbers.js';

const sum = (placed: ComparedPlacement, part: 'relationalRows' | 'cost'): number =>
  placed.joins.reduce((total, join) => total + join[part], 0);

const columns: readonly GridColumn<ComparedPlacement>[] = [
  { title: 'placement', text: ({ placement }) => placement },
  { title: 'calls', align: 'right', text: ({ total }) => range(total.calls) },
  {
    title: 'USD',
    align: 'right',
    text: ({ total }) => (total.usd === undefined ? money(undefined) : range(total.usd, usd)),
  },
  { title: 'relational rows', align: 'right', text: (placed) => count(sum(placed, 'relationalRows')) },
  { title: 'cost', align: 'right', text: (placed) => cost(sum(placed, 'cost')) },
];

const whileItRuns =
  'adaptive is shown as pullup: conditions on single relations are decided one by one while the query runs';

/** The table, then the trees. Calls and USD are what the run would be estimated at; the trees show PLOP's cost model. */
export function comparisonText({ placements }: PlacementComparison, width: number | undefined): string {
  const trees = placements.flatMap(({ joins }) => joins.map((join) => planText(join, { reasons: true })));
  const plain = trees.length === 0 ? ['no join with semantic conditions: every placement runs the same plan'] : trees;
  const open = placements.some(({ placement, joins }) => placement === 'adaptive' && joins.length > 0)
    ? [whileItRuns]
    : [];
  return [grid(placements, columns, width).join('\n'), ...plain, ...open].join('\n\n');
}
