/** The tree in which semantic operators are placed: plain JSON, built by the SQL planner and written back by it. */
import type { Column, Condition, SemanticCall } from './condition.js';

/** Unique in a tree; the planner finds its own SQL again by it. */
export type NodeId = string;

interface Common {
  readonly id: NodeId;
  /** Printed by EXPLAIN beside the kind. */
  readonly label?: string;
  /** An expression of the operator may give another value each time: nothing moves across it. */
  readonly volatile?: boolean;
  /** An expression of the operator may raise: nothing moves across it. */
  readonly raises?: boolean;
}

interface Sized extends Common {
  /** Rows that it gives when no semantic filter removes any, as the relational optimizer estimates or as counted. */
  readonly rows: number;
  /** Work of the operator in rows, PLOP's c(u); `rows` when absent. */
  readonly cost?: number;
}

/** A column that an operator makes. */
export interface Made {
  readonly column: Column;
  readonly reads: readonly Column[];
  /** It is the one column that it reads, under another name. */
  readonly copy?: boolean;
}

/** A base relation, or whatever is computed before and read as one; `relation` is its alias, unique in the tree. */
export interface Relation extends Sized {
  readonly kind: 'relation';
  readonly relation: string;
  readonly columns: readonly Column[];
}

/** A plain condition. */
export interface Filter extends Sized {
  readonly kind: 'filter';
  readonly input: PlanNode;
  /** Without semantic calls. */
  readonly condition: Condition;
}

/** A condition as written, plain and semantic mixed; the first step splits it. */
export interface Where extends Common {
  readonly kind: 'where';
  readonly input: PlanNode;
  readonly condition: Condition;
}

/** Columns kept and columns made. A filter that is lifted over it may need more of them kept. */
export interface Project extends Sized {
  readonly kind: 'project';
  readonly input: PlanNode;
  readonly keeps: readonly Column[];
  readonly makes: readonly Made[];
}

/** `mark` and `single` are IN and scalar subqueries as joins: each left row once, with one column more. */
export type JoinKind = 'inner' | 'cross' | 'left' | 'right' | 'full' | 'semi' | 'anti' | 'mark' | 'single';

export interface Join extends Sized {
  readonly kind: 'join';
  readonly join: JoinKind;
  readonly left: PlanNode;
  readonly right: PlanNode;
  /** Columns of the condition. */
  readonly reads: readonly Column[];
  /** Columns of the left side that a lateral right side reads. */
  readonly lateral?: readonly Column[];
  /** The column of a `mark` or `single` join. */
  readonly makes?: readonly Made[];
}

export interface Aggregate extends Sized {
  readonly kind: 'aggregate';
  readonly input: PlanNode;
  readonly keys: readonly Column[];
  readonly makes: readonly Made[];
}

/** DISTINCT over just these columns, which are its output whatever else its input has; `on` makes it DISTINCT ON. */
export interface Distinct extends Sized {
  readonly kind: 'distinct';
  readonly input: PlanNode;
  readonly columns: readonly Column[];
  readonly on?: readonly Column[];
}

export interface Window extends Sized {
  readonly kind: 'window';
  readonly input: PlanNode;
  readonly makes: readonly Made[];
}

/** LIMIT and OFFSET, with the sort that decides them. */
export interface Limit extends Sized {
  readonly kind: 'limit';
  readonly input: PlanNode;
  readonly reads: readonly Column[];
}

export interface Sample extends Sized {
  readonly kind: 'sample';
  readonly input: PlanNode;
}

export interface Order extends Sized {
  readonly kind: 'order';
  readonly input: PlanNode;
  readonly reads: readonly Column[];
}

/** UNION, INTERSECT or EXCEPT: of each input it takes just these columns, in order. */
export interface SetOperation extends Sized {
  readonly kind: 'set';
  readonly inputs: readonly PlanNode[];
  readonly takes: readonly (readonly Column[])[];
  readonly makes: readonly Column[];
}

export interface Unnest extends Sized {
  readonly kind: 'unnest';
  readonly input: PlanNode;
  readonly makes: readonly Made[];
}

/** Whatever nothing may move across, e.g. a CTE that is read more than once. */
export interface Fence extends Sized {
  readonly kind: 'fence';
  readonly input: PlanNode;
  readonly why: string;
}

export interface SemanticFilter extends Common {
  readonly kind: 'semantic-filter';
  readonly input: PlanNode;
  readonly condition: Condition;
  /** The operator over which pushdown puts it: PLOP's original position. Set by the placement. */
  readonly origin?: NodeId;
}

export interface SemanticProjection extends Common {
  readonly kind: 'semantic-projection';
  readonly input: PlanNode;
  readonly call: SemanticCall;
  readonly makes: Column;
}

/** A join whose condition holds semantic calls; `rows` are those that its plain conditions alone would give. */
export interface SemanticJoin extends Sized {
  readonly kind: 'semantic-join';
  readonly join: JoinKind;
  readonly left: PlanNode;
  readonly right: PlanNode;
  /** Columns of the plain part of the condition; none: every pair is asked about. */
  readonly reads: readonly Column[];
  readonly condition: Condition;
  readonly makes?: readonly Made[];
}

export type PlanNode =
  | Relation
  | Filter
  | Where
  | Project
  | Join
  | Aggregate
  | Distinct
  | Window
  | Limit
  | Sample
  | Order
  | SetOperation
  | Unnest
  | Fence
  | SemanticFilter
  | SemanticProjection
  | SemanticJoin;

export type NodeKind = PlanNode['kind'];
export type NodeOf<Kind extends NodeKind> = Extract<PlanNode, { readonly kind: Kind }>;

/** A hybrid query: the operators, and the columns of its result, whatever else the top operator has. */
export interface PlacementTree {
  readonly root: PlanNode;
  readonly output: readonly Column[];
}
