/** PLOP's cost model (§4.2 and §5): what one operator or filter costs at a place, given the filters applied before. */
import { inputsOf, rowsOf } from './children.js';
import { type Condition, readsOf, type SemanticCall, shareOf } from './condition.js';
import { relationsOf, sourcesOf } from './lineage.js';
import type { JoinKind, NodeId, NodeKind, PlanNode } from './tree.js';

export interface CostConstants {
  /** Weight of one row of relational work against one call, α. */
  readonly alpha: number;
  /** s_i: share of tuples that a semantic call passes when the call itself does not say. */
  readonly selectivity: number;
  /** s_⋈: what a join leaves of the distinct tuples of one side. */
  readonly joinSelectivity: number;
  /** The same of a cross join. */
  readonly crossSelectivity: number;
}

/** The values of PLOP §5 and §6.1. */
export const paperConstants: CostConstants = {
  alpha: 1e-7,
  selectivity: 0.2,
  joinSelectivity: 0.1,
  crossSelectivity: 1,
};

/**
 * Distinct prompts as counted, by operator and call, on its output and with no semantic filter applied. They take the
 * place of estimates.
 */
export type PromptCounts = Readonly<Record<NodeId, Readonly<Record<string, number>>>>;

export interface CostModel {
  readonly constants: CostConstants;
  readonly counts?: PromptCounts;
}

/** A semantic filter as the model sees it. */
export interface FilterFacts {
  readonly share: number;
  /** ref(SF_i). */
  readonly relations: ReadonlySet<string>;
}

/** Share and base relations of a filter over `input`. */
export function factsOf(condition: Condition, input: PlanNode, { constants }: CostModel): FilterFacts {
  return {
    share: shareOf(condition, (call) => call.selectivity ?? constants.selectivity),
    relations: new Set(relationsOf(input, readsOf(condition))),
  };
}

/** sel(A, S) of Equation 1: product of the shares of those filters of S that read a relation of A. */
export function selectivity(relations: Iterable<string>, applied: readonly FilterFacts[]): number {
  const wanted = [...relations];
  return applied.reduce(
    (product, facts) => (wanted.some((relation) => facts.relations.has(relation)) ? product * facts.share : product),
    1,
  );
}

/**
 * N_{u,SF}: distinct prompts of a call on the output of `node`, semantic filters left out: product of the sizes of the
 * base relations that it reads, times s_⋈ for each join on the way from one of them to `node` (each join once). The size of
 * a base relation is that behind the plain filters right above it, as DuckDB's scans apply them. An operator that
 * nothing crosses and that makes or limits rows counts as a base relation. `origin` is where the columns are to be found
 * when projections on the way do not keep them (yet).
 */
export function distinctPrompts(
  node: PlanNode,
  call: SemanticCall,
  { constants, counts }: CostModel,
  origin: PlanNode = node,
): number {
  const counted = counts?.[node.id]?.[call.id];
  if (counted !== undefined) return counted;
  return along(node, new Set(sourcesOf(origin, call.reads)), constants)?.distinct ?? 1;
}

/** c(u): work of an operator in rows with no semantic filter applied. Reading a base relation counts nothing. */
export function relationalWork(node: PlanNode): number {
  if (node.kind === 'relation' || !('rows' in node)) return 0;
  return node.cost ?? node.rows;
}

/** Operators whose output is probed in the cache for every filter still to come. */
export const joinLike: ReadonlySet<NodeKind> = new Set(['join', 'semantic-join']);

/** Joins that drop no row of the side that a filter can come from. */
const preserving: ReadonlySet<JoinKind> = new Set(['left', 'right', 'full', 'mark', 'single']);

function joinShare(node: PlanNode, constants: CostConstants): number {
  if (node.kind !== 'join' && node.kind !== 'semantic-join') return 1;
  if (preserving.has(node.join)) return 1;
  return node.reads.length === 0 ? constants.crossSelectivity : constants.joinSelectivity;
}

const rowWise: ReadonlySet<NodeKind> = new Set(['filter', 'project', 'order']);
const transparent: ReadonlySet<NodeKind> = new Set(['semantic-filter', 'semantic-projection', 'where']);

interface Reached {
  readonly distinct: number;
  /** Nothing but row-wise operators so far, so that their rows are the size of the relation. */
  readonly near: boolean;
}

function along(node: PlanNode, sources: ReadonlySet<NodeId>, constants: CostConstants): Reached | undefined {
  if (sources.has(node.id)) return { distinct: rowsOf(node), near: node.kind === 'relation' };
  const reached = inputsOf(node).flatMap((input) => along(input, sources, constants) ?? []);
  if (reached.length === 0) return undefined;
  const distinct = reached.reduce((product, one) => product * one.distinct, 1);
  const near = reached.every((one) => one.near) && (rowWise.has(node.kind) || transparent.has(node.kind));
  if (near && rowWise.has(node.kind)) return { distinct: rowsOf(node), near };
  return { distinct: distinct * joinShare(node, constants), near };
}
