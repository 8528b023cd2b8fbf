import type { RelationSchema, Schema } from '../../relation/schema.js';
import type { Catalog } from '../../tasks/task.js';
import type { Operator } from '../operator.js';
import type { Fields } from './draft.js';
import type { Reporter } from './issue.js';

/** What a draft is checked against. */
export interface PlanContext {
  /** Relations that a plan may scan, by name. */
  readonly relations: Readonly<Record<string, RelationSchema>>;
  readonly catalog: Catalog;
  /** What the plan must give; anything when left out. */
  readonly output?: RequiredOutput;
  /** Whether tasks of no catalog that declare a signature pass; they must be grounded before anything runs. */
  readonly placeholders?: boolean;
}

export interface RequiredOutput {
  /** Attributes that must be there, and no others. */
  readonly schema: Schema;
  /** Rows of the output for each tuple of the input; `any` for joins, top-k and aggregates. */
  readonly rows: 'one' | 'zero-or-one' | 'any';
  /** Attributes that tell the output's rows apart; used where `rows` is not `any`. */
  readonly key: readonly string[];
}

/** An operator of a draft as the readers see it. An input is undefined where it could not be read. */
export interface Reading {
  readonly fields: Fields;
  readonly inputs: readonly (Operator | undefined)[];
  readonly context: PlanContext;
  readonly report: Reporter;
}
