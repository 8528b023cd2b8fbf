/** The placement tree of a query over a join: relations, joins and plain conditions, and the semantic ones over them. */
import type { Condition } from '../placement/condition.js';
import type { PromptCounts } from '../placement/cost-model.js';
import type { NodeId, PlacementTree, PlanNode } from '../placement/tree.js';
import { columnsIn, isSteady, type JoinPart, type PartedJoin } from './join-parts.js';
import { relationsRead } from './join-names.js';
import type { Scope } from './scope.js';
import { isSemantic } from './recognise.js';
import { mapNodes, positionOf, type SqlNode } from './tree.js';

/** A semantic condition of WHERE, or a semantic call of the select list. */
export interface Asked {
  readonly id: NodeId;
  readonly node: SqlNode;
  /** Its SQL, for people. */
  readonly intent: string;
}

export interface JoinSizes {
  /** Rows of a part, and of its relation before its own plain conditions (`bare`). */
  readonly rows: ReadonlyMap<NodeId, { readonly bare: number; readonly met: number }>;
  /** Distinct prompts by operator and condition. */
  readonly counts: PromptCounts;
}

export const nothingMeasured: JoinSizes = { rows: new Map(), counts: {} };

/** Rows of a relation about which nothing is known. */
const unknownRows = 1000;
/** Share that a plain condition passes about which nothing is known: DuckDB's own guess. */
const unknownShare = 0.2;

export interface Operators {
  readonly join: PartedJoin;
  readonly filters: readonly Asked[];
  readonly values: readonly Asked[];
  readonly scope: Scope;
  /** Relations whose conditions stay on them, with the reason. */
  readonly kept: ReadonlyMap<string, string>;
}

export const operatorIds = {
  /** The operator of a part's own plain conditions. */
  plain: (part: NodeId) => `${part}.plain`,
  rest: 'rest',
  several: 'several',
} as const;

/** Whether a condition may be decided on one relation: it reads that alone, and gives the same value there. */
export function relationOf(condition: SqlNode, scope: Scope): string | undefined {
  const [relation, ...more] = relationsRead(condition, scope);
  return more.length === 0 && isSteady(condition, scope) ? relation : undefined;
}

/** The tree, with sizes as far as they are known. */
export function joinOperators({ join, filters, values, scope, kept }: Operators, sizes: JoinSizes): PlacementTree {
  const single = filters.filter(({ node }) => relationOf(node, scope) !== undefined);
  const several = filters.filter((filter) => !single.includes(filter));
  const stays = (filter: Asked): boolean => kept.has(relationOf(filter.node, scope) ?? '');
  const asked = (input: PlanNode, { id, node, intent }: Asked): PlanNode => {
    const positions = positionsIn(node);
    const condition: Condition = { kind: 'call', call: { id, intent, positions, reads: columnsIn(node, scope) } };
    return { kind: 'semantic-filter', id, input, condition };
  };
  const plain = (id: NodeId, input: PlanNode, conditions: readonly SqlNode[], rows: number): PlanNode => {
    if (conditions.length === 0) return input;
    const reads = [...new Set(conditions.flatMap((one) => columnsIn(one, scope)))];
    const text = `${conditions.length} plain condition${conditions.length === 1 ? '' : 's'}`;
    return { kind: 'filter', id, input, rows, condition: { kind: 'plain', text, reads } };
  };
  const operator = (part: JoinPart): { readonly node: PlanNode; readonly rows: number } => {
    const known = sizes.rows.get(part.id);
    const guess = (bare: number): number => (part.own.length === 0 ? bare : bare * unknownShare);
    const fenced = (node: PlanNode, rows: number): { node: PlanNode; rows: number } => ({
      node: part.fence === undefined ? node : fence(`${part.id}.fence`, node, rows, part.fence),
      rows,
    });
    const { id, columns, own } = part;
    if (part.join === undefined) {
      const bare = known?.bare ?? unknownRows;
      const met = known?.met ?? guess(bare);
      const [alias = id] = part.relations;
      const scan: PlanNode = { kind: 'relation', id, relation: id, columns, rows: bare };
      const over = plain(operatorIds.plain(id), scan, own, met);
      const why = kept.get(alias);
      if (why === undefined) return fenced(over, met);
      const decided = single.filter((one) => stays(one) && relationOf(one.node, scope) === alias).reduce(asked, over);
      return { node: fence(`${id}.kept`, decided, met, why), rows: met };
    }
    const { kind, reads } = part.join;
    const [left, right] = [operator(part.join.left), operator(part.join.right)];
    const merged = kind === 'inner' || kind === 'cross';
    const bare = known?.bare ?? (reads.length === 0 ? left.rows * right.rows : Math.max(left.rows, right.rows));
    const met = known?.met ?? guess(bare);
    const rows = merged ? met : bare;
    const joined: PlanNode = { kind: 'join', id, join: kind, reads, rows, left: left.node, right: right.node };
    return fenced(merged ? joined : plain(operatorIds.plain(id), joined, own, met), met);
  };
  const { node: root, rows } = operator(join.root);
  let over = plain(operatorIds.rest, root, join.rest, rows);
  over = single.filter((filter) => !stays(filter)).reduce(asked, over);
  if (several.length > 0) {
    const why = 'conditions on several relations, or beside subqueries, are decided behind the join';
    over = several.reduce(asked, fence(operatorIds.several, over, rows, why));
  }
  const top = values.reduce<PlanNode>((input, { id, node, intent }) => {
    const call = { id, intent, positions: positionsIn(node), reads: columnsIn(node, scope) };
    return { kind: 'semantic-projection', id, input, call, makes: id };
  }, over);
  return { root: top, output: [...join.root.columns.slice(0, 1), ...values.map(({ id }) => id)] };
}

/** Where the semantic calls of an expression stand in the query. */
function positionsIn(expression: SqlNode): readonly number[] {
  const positions: number[] = [];
  mapNodes(expression, (node) => {
    if (!isSemantic(node)) return undefined;
    const position = positionOf(node);
    if (position !== undefined) positions.push(position);
    return node;
  });
  return positions;
}

function fence(id: NodeId, input: PlanNode, rows: number, why: string): PlanNode {
  return { kind: 'fence', id, input, rows, why };
}
