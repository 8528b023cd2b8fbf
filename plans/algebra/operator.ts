import type { JsonValue } from '../protocol/json.js';
import type { Schema } from '../relation/schema.js';
import type { AttributeType } from '../relation/types.js';
import type { Expression } from './expression.js';
import type { AggregateName } from './functions.js';

/**
 * Logical operators of TxRA (CADENZA §3). A plan is its root operator; an operator that two others read is one object, so
 * that a DAG is held by identity. Every operator carries what its contract needs, so that no catalog is asked again.
 */
export type Operator = Scan | Select | Project | Join | Group | Union | TopK | Apply;

export type OperatorKind = Operator['kind'];

export type OperatorOf<K extends OperatorKind> = Extract<Operator, { kind: K }>;

/** Rows that an operator makes of one input tuple. */
export type Cardinality = 'one' | 'zero-or-one' | 'many';

/** A stored or upstream relation. */
export interface Scan {
  readonly kind: 'scan';
  readonly relation: string;
  readonly schema: Schema;
  /** Attributes that tell any two tuples apart; empty when none are known. */
  readonly key: readonly string[];
}

/** σ */
export interface Select {
  readonly kind: 'select';
  readonly input: Operator;
  readonly predicate: Expression;
}

/** π over bags: keeps duplicates, and may compute. */
export interface Project {
  readonly kind: 'project';
  readonly input: Operator;
  readonly columns: readonly Computed[];
}

export interface Computed {
  readonly name: string;
  readonly expression: Expression;
}

export type JoinKind = 'inner' | 'left' | 'semi' | 'anti';

/** ⋈ */
export interface Join {
  readonly kind: 'join';
  readonly left: Operator;
  readonly right: Operator;
  readonly how: JoinKind;
  readonly on: Expression;
}

/** γ; with no aggregates it leaves one row of each combination of the keys. */
export interface Group {
  readonly kind: 'group';
  readonly input: Operator;
  readonly keys: readonly string[];
  readonly aggregates: readonly Aggregate[];
}

export interface Aggregate {
  readonly name: string;
  readonly aggregate: AggregateName;
  /** Undefined for `count` of rows. */
  readonly of?: string;
  /** Attribute in whose order `list` and `string_agg` put their values. */
  readonly order?: string;
}

/** ∪ over bags, by name. */
export interface Union {
  readonly kind: 'union';
  readonly inputs: readonly Operator[];
}

/** The first `k` rows, of each combination of `per`. Ties are broken by all comparable attributes, in order of their names. */
export interface TopK {
  readonly kind: 'topk';
  readonly input: Operator;
  readonly by: readonly Order[];
  readonly k: number;
  readonly per: readonly string[];
}

export interface Order {
  readonly expression: Expression;
  readonly descending: boolean;
}

/** A task run on each tuple, its outputs appended: CROSS APPLY. */
export interface Apply {
  readonly kind: 'apply';
  readonly input: Operator;
  /** Name in the catalog. */
  readonly task: string;
  readonly bind: Readonly<Record<string, Binding>>;
  readonly params: Readonly<Record<string, JsonValue>>;
  readonly outputs: readonly Output[];
  readonly cardinality: Cardinality;
  /** Signature of a task that is in no catalog: a placeholder that is grounded before anything runs. */
  readonly placeholder?: Placeholder;
}

/** What an input slot of a task reads: an attribute, or a constant text. */
export type Binding = { readonly attribute: string } | { readonly text: string };

export interface Output {
  /** Name in the task's signature. */
  readonly from: string;
  /** Name that the attribute has in this plan. */
  readonly name: string;
  readonly type: AttributeType;
}

export interface Placeholder {
  readonly inputs: Readonly<Record<string, AttributeType>>;
  readonly outputs: Readonly<Record<string, AttributeType>>;
  readonly description: string;
}
