/**
 * Puts every semantic filter at its lowest place, as a relational optimizer would: PLOP's original positions, and the
 * baseline. It goes through joins to the side that it reads, through renaming projections with its columns renamed.
 */
import { inputsOf, rebuild, replaceNode, withInputs } from '../children.js';
import { columnsOf } from '../columns.js';
import { type Column, readsOf, renameColumns } from '../condition.js';
import { barrier } from '../crossing.js';
import { isMovable, standing } from '../skeleton.js';
import type { Stepped, TraceEntry } from '../trace.js';
import type { PlacementTree, PlanNode, SemanticFilter } from '../tree.js';

/** The tree with every movable filter as low as it can stand, and with that place as its origin. */
export function pushDown(tree: PlacementTree): Stepped {
  const trace: TraceEntry[] = [];
  const root = rebuild(tree.root, (node) => (isMovable(node) ? sink(node, node.input, trace) : node));
  return { tree: { ...tree, root }, trace };
}

/** `filter` over `input`, whose own filters are as low as they can be; one that cannot pass them stays above them. */
function sink(filter: SemanticFilter, input: PlanNode, trace: TraceEntry[]): PlanNode {
  const below = standing(input);
  const renamed = through(filter, below);
  const side = inputsOf(below).findIndex((candidate, at) => fits(renamed, below, candidate, at));
  if (side < 0) return { ...filter, input, origin: below.id };
  if (below.kind !== 'filter') {
    trace.push({ step: 'push-down', node: filter.id, over: below.id, reason: 'its columns are there below it' });
  }
  const inputs = inputsOf(below).map((candidate, at) => (at === side ? sink(renamed, candidate, trace) : candidate));
  return replaceNode(input, below.id, (node) => withInputs(node, inputs));
}

function fits(filter: SemanticFilter, node: PlanNode, input: PlanNode, side: number): boolean {
  const reads = readsOf(filter.condition);
  const present = columnsOf(input);
  return reads.every((column) => present.includes(column)) && barrier(node, side, reads) === undefined;
}

/** The filter over the columns that a projection has renamed. */
function through(filter: SemanticFilter, node: PlanNode): SemanticFilter {
  if (node.kind !== 'project') return filter;
  const names = new Map<Column, Column>(
    node.makes.flatMap(({ column, reads: [read], copy }) =>
      copy === true && read !== undefined ? [[column, read]] : [],
    ),
  );
  return { ...filter, condition: renameColumns(filter.condition, (column) => names.get(column) ?? column) };
}
