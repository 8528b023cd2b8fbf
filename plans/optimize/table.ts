/** What a search knows once its sample is answered: every trial is computed from it, without a call. Plain data. */
import type { MetricName } from '../evaluation/metrics.js';
import type { RoutedImplementation } from '../physical/routed/plan.js';
import type { Scorer } from '../physical/router/scorer.js';
import type { JsonValue } from '../protocol/json.js';
import type { Configuration } from '../tuning/space.js';
import type { Weights } from '../tuning/objective/objective.js';

/** What one implementation made of one row of the sample; `usd` is what the answer cost, whoever paid for it. */
export type SampleAnswer =
  | { readonly state: 'ok'; readonly value: JsonValue; readonly confidence?: number; readonly usd: number }
  /** It failed or abstained: the default model answers in its place. */
  | { readonly state: 'none'; readonly usd: number };

export interface Contender {
  /** With its measured price a row. */
  readonly implementation: RoutedImplementation;
  /** Seconds a row that trials reckon with: measured, in coarse steps, so that a search does not hang on the clock. */
  readonly seconds: number;
  /** One for each row of the sample. Of rules: by rules that have not seen the row. */
  readonly answers: readonly SampleAnswer[];
}

export interface SearchTable {
  readonly v: 1;
  readonly signature: string;
  readonly metric: MetricName;
  readonly weights: Weights;
  readonly seed: number;
  /** The teacher's answers; at least one. */
  readonly labels: readonly JsonValue[];
  /** Of each row, by difficulties from a scorer that has not seen it; in (0, 1]. */
  readonly percentiles: readonly number[];
  /** Fitted to all rows. */
  readonly scorer: Scorer;
  /** In the order of the router's buckets, cheapest first. */
  readonly contenders: readonly Contender[];
  /** Which of them is the default model asked directly: trial 0, and what safe mode falls back to. */
  readonly direct: number;
  /** Tried before the surrogate is asked; the first one is trial 0. */
  readonly starts: readonly Configuration[];
}
