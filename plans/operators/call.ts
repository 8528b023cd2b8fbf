import type { JsonValue } from '../protocol/json.js';
import type { OutputType } from './output.js';

/** Kinds of semantic operators that SQL can call. One module in this folder each. */
export type OperatorKind =
  | 'filter'
  | 'classify'
  | 'extract'
  | 'complete'
  | 'score'
  | 'sentiment'
  | 'summarize'
  | 'translate'
  | 'embed'
  | 'transcribe'
  | 'parse'
  | 'aggregate'
  | 'group'
  | 'dedup'
  | 'compare'
  | 'rank';

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
  | { readonly kind: 'score'; readonly min: number; readonly max: number }
  /** Without aspects, of the whole. */
  | { readonly kind: 'sentiment'; readonly aspects: readonly string[] }
  | { readonly kind: 'summarize'; readonly maxWords?: number }
  /** Languages by BCP-47 code or name; without `from`, the model finds it. */
  | { readonly kind: 'translate'; readonly from?: string; readonly to: string }
  | { readonly kind: 'embed' }
  /** `language`: ISO 639-1 code of what is spoken, where known. */
  | { readonly kind: 'transcribe'; readonly language?: string }
  | { readonly kind: 'parse' }
  /** One text out of the items of a group: what to make of them. */
  | { readonly kind: 'aggregate'; readonly instruction: string }
  /** Labels to be found: how many, and by what. */
  | { readonly kind: 'group'; readonly count?: number; readonly instruction?: string }
  /**
   * Entities to be told apart: what makes two rows the same, how many of the nearest others each is compared with, by what
   * nearness (`lexicon`: spelling; `embedding` or `embedding:MODEL`; absent: vectors if there is an embedding model), and how
   * many of the inputs, the last ones, are keys: only rows with equal keys are compared.
   */
  | {
      readonly kind: 'dedup';
      readonly instruction: string;
      readonly neighbours: number;
      readonly nearness?: string;
      readonly keys: number;
    }
  /** Which of two items fits `criterion` better, or with `least`, worse. */
  | { readonly kind: 'compare'; readonly criterion: string; readonly least: boolean }
  /** The order of up to `size` items, best first, or with `least`, worst first. */
  | { readonly kind: 'rank'; readonly criterion: string; readonly least: boolean; readonly size: number };

/** A filter narrows the rows of later calls; a value is asked for each row; an aggregate for each group of rows. */
export type CallRole = 'filter' | 'value' | 'aggregate';

/** One argument of the prompt: an SQL expression over the plan's rows. */
export interface CallInput {
  /** Expression text, valid in `SELECT <sql> FROM __rows AS <alias>`. */
  readonly sql: string;
  /** How the user named it, for messages: a column, or the expression. */
  readonly label: string;
  readonly modality: 'text' | 'image' | 'audio';
}

/** What a user adds to the prompt of a call, whatever its kind. */
export interface CallGuidance {
  /** Stands in front of the operator's own instruction, as it is. */
  readonly instructions?: string;
  readonly examples?: readonly CallExample[];
  /** The answer comes with its reason: the output is a struct of `answer` and `explanation`. */
  readonly explain?: true;
}

/** A tuple whose answer is known. */
export interface CallExample {
  /** Texts, one for each input of the call. */
  readonly inputs: readonly string[];
  /** Of the type of the call's answer, without explanation. */
  readonly output: JsonValue;
  readonly explanation?: string;
}

/** The inputs of a call over pairs, by the relation that they are of. */
export type PairSides = readonly [readonly number[], readonly number[]];

/** The rows that an aggregate folds; SQL as in `CallInput`. */
export interface Fold {
  /** Expressions by which rows are grouped; none: all rows are one group. */
  readonly groups: readonly string[];
  /** What a row must fulfil to be folded, beside WHERE as far as it is decided before; absent: nothing. */
  readonly where?: string;
  /** Terms of ORDER BY; behind them, and where there is none, rows keep the order of the source. */
  readonly order: readonly string[];
  /** Equal items of a group count once. */
  readonly distinct: boolean;
}

/** One instance of a semantic operator in a query. */
export interface SemanticCall {
  /** `f0`, `f1` … for WHERE conjuncts, `c0` … for values, `a0` … for aggregates; also names the answer column `__a_<id>`. */
  readonly id: string;
  readonly role: CallRole;
  readonly parameters: OperatorParameters;
  /** The intent with `{0}`, `{1}` … for the inputs; `{{` and `}}` stand for braces. */
  readonly template: string;
  readonly inputs: readonly CallInput[];
  readonly output: OutputType;
  readonly guidance?: CallGuidance;
  /**
   * The prompt holds several tuples, each with an id; `each`: the reply has an answer for each, `matching`: it lists those
   * that the answer is true for. Never set in a plan.
   */
  readonly batch?: 'each' | 'matching';
  /** Numbers of the inputs that are of the one relation, and of the other; absent unless all are of two relations. */
  readonly pair?: PairSides;
  /** Of an aggregate. */
  readonly fold?: Fold;
  /** Model named by the user in the options struct. */
  readonly model?: string;
  /** Offset of the call in the user's SQL. */
  readonly position: number;
}
