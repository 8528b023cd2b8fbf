/** From which base relations the columns of a node come: PLOP's ref(SF) and tab(u). */
import type { Column } from './condition.js';
import { inputsOf, postOrder } from './children.js';
import { columnsMade, columnsOf } from './columns.js';
import type { NodeId, NodeKind, PlanNode } from './tree.js';

/** What an operator says of the columns that it gives; undefined: ask its inputs. */
type Stop = (node: PlanNode) => readonly string[] | undefined;

/** The base relations of a subtree: PLOP's tab(u). */
export function relationsBelow(node: PlanNode): readonly string[] {
  return postOrder(node).flatMap((below) => (below.kind === 'relation' ? [below.relation] : []));
}

/** Operators whose rows are new ones: every column depends on every relation below. */
const mixing: ReadonlySet<NodeKind> = new Set(['aggregate', 'set']);

/** PLOP's ref(SF): the base relations that columns of this node's output depend on. */
export function relationsOf(node: PlanNode, columns: readonly Column[]): readonly string[] {
  return traced(node, columns, (at) => {
    if (at.kind === 'relation') return [at.relation];
    return mixing.has(at.kind) ? relationsBelow(at) : undefined;
  });
}

/** Operators whose row count bounds the distinct values above them: base relations, and what nothing moves across. */
const counting: ReadonlySet<NodeKind> = new Set(['relation', 'aggregate', 'set', 'limit', 'sample']);

/** The nodes whose rows bound the distinct values of these columns of a node's output. */
export function sourcesOf(node: PlanNode, columns: readonly Column[]): readonly NodeId[] {
  return traced(node, columns, (at) => (counting.has(at.kind) ? [at.id] : undefined));
}

function traced(node: PlanNode, columns: readonly Column[], stop: Stop): readonly string[] {
  return [...new Set(columns.flatMap((column) => traceColumn(node, column, stop)))];
}

function traceColumn(node: PlanNode, column: Column, stop: Stop): readonly string[] {
  const stopped = stop(node);
  if (stopped !== undefined) return stopped;
  const made = columnsMade(node).find((candidate) => candidate.column === column);
  const wanted = made === undefined ? [column] : made.reads;
  return wanted.flatMap((read) => {
    const input = inputsOf(node).find((candidate) => columnsOf(candidate).includes(read));
    return input === undefined ? [] : traceColumn(input, read, stop);
  });
}
