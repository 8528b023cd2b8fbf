/** Checks of a placement tree: run on what the planner builds and after each step. */
import { FermataError } from '../protocol/errors.js';
import { inputsOf, postOrder, rowsOf } from './children.js';
import { columnsMade, columnsOf, columnsRead } from './columns.js';
import { callsOf } from './condition.js';
import type { PlacementTree, PlanNode } from './tree.js';

/** Everything wrong with a tree; empty when it is sound. */
export function problemsOf(tree: PlacementTree): readonly string[] {
  const nodes = postOrder(tree.root);
  return [
    ...repeated(nodes.map(({ id }) => id)).map((id) => `node ${id} occurs twice`),
    ...repeated(nodes.flatMap((node) => columnsMade(node).map(({ column }) => column))).map(
      (column) => `column ${column} is made twice`,
    ),
    ...repeated(nodes.flatMap((node) => (node.kind === 'relation' ? [node.relation] : []))).map(
      (relation) => `relation ${relation} occurs twice`,
    ),
    ...nodes.flatMap(problemsAt),
    ...missing(tree.output, columnsOf(tree.root)).map((column) => `the result lacks column ${column}`),
  ];
}

/**
 * The tree itself when it is sound.
 *
 * @throws FermataError `Internal`: a step broke it.
 */
export function checked(tree: PlacementTree, step: string): PlacementTree {
  const [problem] = problemsOf(tree);
  if (problem !== undefined)
    throw new FermataError('Internal', `The placement tree is unsound after ${step}: ${problem}`);
  return tree;
}

function problemsAt(node: PlanNode): readonly string[] {
  const inputs = inputsOf(node).map(columnsOf);
  const lacks = missing(columnsRead(node), inputs.flat()).map((column) => `${node.id} reads ${column}, which it lacks`);
  const rows = rowsOf(node);
  const badRows = Number.isFinite(rows) && rows >= 0 ? [] : [`${node.id} has ${rows} rows`];
  return [...lacks, ...badRows, ...ownProblems(node)];
}

function ownProblems(node: PlanNode): readonly string[] {
  if (node.kind === 'semantic-filter' && callsOf(node.condition).length === 0) return [`${node.id} asks nothing`];
  if (node.kind === 'filter' && callsOf(node.condition).length > 0) return [`${node.id} is plain and asks`];
  if (node.kind === 'set') {
    const off = node.takes.some((taken) => taken.length !== node.makes.length);
    return off || node.takes.length !== node.inputs.length ? [`${node.id} takes other columns than it makes`] : [];
  }
  return [];
}

function missing(wanted: readonly string[], present: readonly string[]): readonly string[] {
  return wanted.filter((column) => !present.includes(column));
}

function repeated(names: readonly string[]): readonly string[] {
  return [...new Set(names.filter((name, at) => names.indexOf(name) !== at))];
}
