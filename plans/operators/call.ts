import type { OutputType } from './output.js';

/** Kinds of semantic operators that SQL can call. One module in this folder each. */
export type OperatorKind = 'filter' | 'classify' | 'extract' | 'complete' | 'score';

export interface Label {
  readonly label: string;
  readonly description?: string;
}

/** What an instance binds beside its inputs. */
export type OperatorParameters =
  | { readonly kind: 'filter' }
  | { readonly kind: 'classify'; readonly labels: readonly Label[]; readonly multi: boolean; readonly task?: string }
  | { readonly kind: 'extract' }
  | { readonly kind: 'complete' }
  | { readonly kind: 'score'; readonly min: number; readonly max: number };

/** One argument of the prompt: an SQL expression over the plan's rows. */
export interface CallInput {
  /** Expression text, valid in `SELECT <sql> FROM __rows AS <alias>`. */
  readonly sql: string;
  /** How the user named it, for messages: a column, or the expression. */
  readonly label: string;
  readonly modality: 'text' | 'image' | 'audio';
}

/** One instance of a semantic operator in a query. */
export interface SemanticCall {
  /** `f0`, `f1` … for WHERE conjuncts, `c0`, `c1` … for values; also names the answer column `__a_<id>`. */
  readonly id: string;
  readonly role: 'filter' | 'value';
  readonly parameters: OperatorParameters;
  /** The intent with `{0}`, `{1}` … for the inputs; `{{` and `}}` stand for braces. */
  readonly template: string;
  readonly inputs: readonly CallInput[];
  readonly output: OutputType;
  /** Model named by the user in the options struct. */
  readonly model?: string;
  /** Offset of the call in the user's SQL. */
  readonly position: number;
}
