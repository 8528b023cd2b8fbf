/** Where the conditions of a query over a join are decided: behind it, or on one relation before it. */
import { inputsOf, postOrder } from '../placement/children.js';
import { paperConstants } from '../placement/cost-model.js';
import { type Placed, placeOperators } from '../placement/strategies.js';
import type { NodeId, PlanNode } from '../placement/tree.js';
import type { Placement } from '../protocol/placement.js';
import { expressionSql } from './column-names.js';
import {
  type JoinSizes,
  joinOperators,
  nothingMeasured,
  type Operators,
  operatorIds,
  relationOf,
} from './join-operators.js';
import { relationsRead } from './join-names.js';
import { joinParts, type JoinPart, partsBelow } from './join-parts.js';
import { isJoin, relationAlias } from './join-tree.js';
import type { SqlParser } from './ports.js';
import { findSemantic, isAggregate, isSemantic } from './recognise.js';
import type { Scope } from './scope.js';
import { child, conjuncts, mapNodes, type SqlNode, text, texts } from './tree.js';

/** Conditions that are decided on the rows of one relation before the join. */
export interface BeforeJoin {
  readonly relation: JoinPart;
  /** Plain ones first; the semantic ones in their order. */
  readonly conditions: readonly SqlNode[];
  /** Only rows that this part of the join keeps; absent: all. */
  readonly within?: JoinPart;
}

export interface PlacedConditions {
  readonly root: JoinPart;
  /** In the order in which they are decided. */
  readonly before: readonly BeforeJoin[];
  /** Decided after those, each on its relation, in an order that is found while the query runs. */
  readonly anyOrder: readonly { readonly relation: JoinPart; readonly condition: SqlNode }[];
  readonly behind: readonly SqlNode[];
  readonly placed: Placed;
}

export interface JoinedWhere {
  readonly from: SqlNode;
  /** All conditions that rows of the join must meet. */
  readonly where: readonly SqlNode[];
  readonly select: readonly SqlNode[];
  readonly scope: Scope;
  /** Whether a part of the join has the same rows each time that it is read. */
  readonly isRepeatable: (part: JoinPart) => boolean;
  /** Whether the query may end before all rows of the join have been asked about. */
  readonly stopsEarly: boolean;
}

/** How large the operators are, as far as somebody has counted. */
export type MeasureJoin = (operators: Operators) => Promise<JoinSizes>;

/** Places the conditions of a join by the strategy (PLOP): nothing here decides by itself. */
export async function placeConditions(
  joined: JoinedWhere,
  placement: Placement,
  parser: SqlParser,
  measure: MeasureJoin | undefined,
): Promise<PlacedConditions> {
  const { from, where, select, scope, isRepeatable } = joined;
  const join = joinParts(from, where, scope);
  const semantic = where.filter((condition) => findSemantic(condition) !== undefined);
  const named = async (prefix: string, node: SqlNode, at: number) => ({
    ...{ id: `${prefix}${at}`, node },
    intent: await expressionSql(node, parser),
  });
  const operators: Operators = {
    ...{ join, scope },
    filters: await Promise.all(semantic.map((node, at) => named('where', node, at))),
    values: await Promise.all(callsIn(select).map((node, at) => named('select', node, at))),
    kept: lifts.has(placement) ? aloneRelations(from, where, scope) : new Map<string, string>(),
  };
  const sizes = (await measure?.(operators)) ?? nothingMeasured;
  const tree = joinOperators(operators, sizes);
  const model = { constants: paperConstants, counts: sizes.counts };
  const anyOrder = placement === 'adaptive' ? inAnyOrder(operators, joined) : [];
  // prompts are as few as behind the join, without building it
  const placed = placeOperators(tree, placement === 'adaptive' ? 'pullup' : placement, model);
  if (anyOrder.length > 0) {
    const narrowed = new Set(anyOrder.flatMap(({ relation, condition }) => [...relation.own, condition]));
    return { root: join.root, placed, before: [], anyOrder, behind: where.filter((one) => !narrowed.has(one)) };
  }
  const { before, behind } = carryOut(operators, placed.tree.root, where, isRepeatable);
  // only the DP says in which order those are asked that stand at one place
  const inOrder = placement === 'cost' ? behind : where.filter((condition) => behind.includes(condition));
  return { root: join.root, placed, before, anyOrder, behind: inOrder };
}

/** Placements under which conditions stand behind the join, unless nothing there makes their prompts fewer. */
const lifts: ReadonlySet<Placement> = new Set(['pullup', 'adaptive']);

/**
 * Conditions that may be decided on their relation, one by one in any order; none where there is nothing to choose, where the
 * join would not be the same each time that it is read, or where the query may end early.
 */
function inAnyOrder(
  operators: Operators,
  { where, isRepeatable, stopsEarly }: JoinedWhere,
): PlacedConditions['anyOrder'] {
  const { join } = operators;
  if (stopsEarly || !isRepeatable(join.root)) return [];
  const low = placeOperators(
    joinOperators({ ...operators, kept: new Map<string, string>() }, nothingMeasured),
    'pushdown',
  );
  const { before } = carryOut(operators, low.tree.root, where, isRepeatable);
  const single = before.flatMap(({ relation, conditions }) =>
    conditions.flatMap((condition) => (findSemantic(condition) === undefined ? [] : [{ relation, condition }])),
  );
  return single.length < 2 ? [] : single;
}

/** What the executor is to do before the join, and what is left behind it. */
function carryOut(
  { join, filters, scope }: Operators,
  root: PlanNode,
  where: readonly SqlNode[],
  isRepeatable: JoinedWhere['isRepeatable'],
): Pick<PlacedConditions, 'before' | 'behind'> {
  const parts = new Map(partsBelow(join.root).map((part) => [part.id, part]));
  const before: BeforeJoin[] = [];
  const behind: SqlNode[] = [];
  for (const node of postOrder(root)) {
    const filter = filters.find(({ id }) => id === node.id);
    if (filter === undefined) continue;
    const alias = relationOf(filter.node, scope);
    const part = partBelow(node, parts);
    const relation = [...parts.values()].find(
      ({ join: joined, relations }) => joined === undefined && relations[0] === alias,
    );
    const isBefore =
      part !== undefined &&
      part !== join.root &&
      relation?.fence === undefined &&
      (part === relation || isRepeatable(part));
    if (!isBefore || relation === undefined) behind.push(filter.node);
    else {
      const last = before.at(-1);
      const within = part === relation ? undefined : part;
      if (last?.relation === relation && last.within === within) {
        before[before.length - 1] = { ...last, conditions: [...last.conditions, filter.node] };
      } else {
        const plain = before.some((one) => one.relation === relation) ? [] : relation.own;
        const step = { relation, conditions: [...plain, filter.node] };
        before.push(within === undefined ? step : { ...step, within });
      }
    }
  }
  const moved = new Set(before.flatMap(({ conditions }) => conditions));
  const plain = where.filter((condition) => findSemantic(condition) === undefined && !moved.has(condition));
  return { before, behind: [...plain, ...behind] };
}

/** The part of the join on whose rows a filter is decided; undefined: on those of all of it. */
function partBelow(filter: PlanNode, parts: ReadonlyMap<NodeId, JoinPart>): JoinPart | undefined {
  let [below] = inputsOf(filter);
  while (below?.kind === 'semantic-filter') [below] = inputsOf(below);
  const id = below?.id ?? '';
  return parts.get(id) ?? [...parts.values()].find((part) => operatorIds.plain(part.id) === id);
}

/** Semantic calls of the select list that are answered row by row, each once. */
function callsIn(select: readonly SqlNode[]): readonly SqlNode[] {
  const calls: SqlNode[] = [];
  for (const item of select) {
    mapNodes(item, (node) => {
      if (!isSemantic(node)) return undefined;
      if (!isAggregate(node)) calls.push(node);
      return node;
    });
  }
  return calls;
}

const alone = 'no plain condition ties it to another relation: a cross product leaves no fewer prompts';

/** Relations that no plain condition, USING or outer join ties to another one. */
function aloneRelations(from: SqlNode, where: readonly SqlNode[], scope: Scope): ReadonlyMap<string, string> {
  const ties = [
    ...joinTies(from, scope),
    ...where.filter((one) => findSemantic(one) === undefined).map((one) => relationsRead(one, scope)),
  ];
  const tied = (relation: string): boolean => ties.some((tie) => tie.size > 1 && tie.has(relation));
  return new Map(
    baseRelations(from)
      .filter((name) => !tied(name))
      .map((name) => [name, alone]),
  );
}

function joinTies(from: SqlNode, scope: Scope): readonly ReadonlySet<string>[] {
  if (!isJoin(from)) return [];
  const sides = [child(from, 'left') ?? {}, child(from, 'right') ?? {}];
  const inner = sides.flatMap((side) => joinTies(side, scope));
  const bound = text(from, 'ref_type') === 'NATURAL' || texts(from, 'using_columns').length > 0;
  const usual = ['REGULAR', 'CROSS'].includes(text(from, 'ref_type'));
  if (bound || !usual || text(from, 'join_type') !== 'INNER') return [...inner, new Set(sides.flatMap(allRelations))];
  return [...inner, ...conjuncts(child(from, 'condition')).map((one) => relationsRead(one, scope))];
}

function allRelations(from: SqlNode): readonly string[] {
  if (!isJoin(from)) return [relationAlias(from)];
  return [child(from, 'left'), child(from, 'right')].flatMap((side) => allRelations(side ?? {}));
}

/** Tables by name; others may read the relations before them. */
function baseRelations(from: SqlNode): readonly string[] {
  if (!isJoin(from)) return text(from, 'type') === 'BASE_TABLE' ? [relationAlias(from)] : [];
  return [child(from, 'left'), child(from, 'right')].flatMap((side) => baseRelations(side ?? {}));
}
