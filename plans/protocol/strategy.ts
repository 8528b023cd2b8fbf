/** How the calls of a run are answered: what a user asks for, and what the plan makes of it. */
import type { Targets } from '../physical/cascade/targets.js';
import type { RoutedPlan } from '../physical/routed/plan.js';

export const strategyKinds = [
  ...['direct', 'cascade', 'prefilter', 'map', 'batched', 'classify', 'chunked', 'routed'],
  ...['tree', 'fold', 'pairwise', 'heap', 'listwise'],
] as const;
/**
 * `direct`: the model answers each input. `cascade`: a cheap proxy answers first, the model where the proxy may be wrong.
 * `prefilter`: of a join, pairs whose values are not alike are left out as far as the recall target still holds.
 * `map`: of a join, each value is asked once for its keys, and pairs that share one are asked about.
 * `batched`: one prompt holds several inputs. `classify`: of a join, one prompt holds a value of one side and asks which
 * values of the other match. `chunked`: a text that is too long is read in parts.
 * `routed`: a plan that was made for the call says which implementation answers which input.
 * Aggregates: `tree` joins results of parts, `fold` takes part after part into one result. Top-k: `pairwise` selects by a
 * pivot, `heap` by a tournament of pairs, `listwise` by lists that the model orders.
 */
export type StrategyKind = (typeof strategyKinds)[number];

/** A strategy for the calls of a run that have it; the others run directly. */
export type StrategyRequest =
  | { readonly kind: 'direct' }
  | {
      readonly kind: 'cascade';
      /**
       * Who answers first: a model by its name; `embedding:MODEL` or `embedding`, a head over embeddings; or `lexicon`, word
       * weights without any model. The latter two are fitted to the oracle's answers on a part of the sample.
       */
      readonly proxy: string;
      readonly targets: Targets;
    }
  | {
      readonly kind: 'prefilter';
      /** Name of an embedding model; default: the configured one. */
      readonly embedder?: string;
      /** Share of the true pairs to find, in (0, 1], and how sure; default 0.9 and 0.95. */
      readonly recall?: number;
      readonly confidence?: number;
    }
  | {
      readonly kind: 'map';
      /** Name of the model that writes the keys; default: the model of the call. */
      readonly mapper?: string;
      /** Share of the true pairs to find, in (0, 1], and how sure (default 0.95); absent: what the keys miss is lost, untested. */
      readonly recall?: number;
      readonly confidence?: number;
    }
  | {
      readonly kind: 'batched' | 'classify';
      /** Inputs (or candidates) of one prompt, 2 to 200; fewer where the model's context is full. Default 20; of classify, 50. */
      readonly size?: number;
    }
  | {
      readonly kind: 'chunked';
      /** Tokens of a part, as estimated, at least 64; default: what the model's context leaves. */
      readonly tokens?: number;
    }
  | { readonly kind: 'routed'; readonly plan: RoutedPlan }
  | { readonly kind: 'tree' | 'fold' | 'listwise' }
  /** `bothOrders`: each pair is asked twice, the second time the other way round; default false. */
  | { readonly kind: 'pairwise' | 'heap'; readonly bothOrders?: boolean };

/** Several inputs a prompt, as planned for one call. */
export interface BatchSchedule {
  readonly kind: 'batched' | 'classify';
  readonly size: number;
}

/** Long texts in parts, as planned for one call. */
export interface ChunkSchedule {
  readonly kind: 'chunked';
  readonly tokens?: number;
}

export type PromptSchedule = BatchSchedule | ChunkSchedule;

/** A model that answers a part of a call, beside the model of the call. */
export interface OtherModel {
  readonly model: string;
  readonly queue: string;
  readonly window: number;
  readonly retries?: number;
}

/** A cascade as planned for one call; the model of the call is the oracle. */
export interface CascadeSchedule {
  readonly kind: 'cascade' | 'prefilter' | 'map';
  readonly proxy: OtherModel;
  /** Absent: the proxy is a model that answers the question itself. */
  readonly fitted?: FittedKind;
  readonly targets: Targets;
}

/** Who answers a part of a routed call: a model, or rules or code of its plan. */
export interface RoutedBy {
  /** Of the implementation. */
  readonly name: string;
  /** A program stands under its own name. */
  readonly model: string;
  readonly queue: string;
  readonly partitionRows: number;
  readonly window: number;
  readonly retries?: number;
  readonly prompts?: BatchSchedule;
  readonly program?: true;
  /** Answers less sure than this, in [0, 1], go to the next implementation. */
  readonly threshold: number;
}

/** A routed plan as scheduled for one call. */
export interface RoutedSchedule {
  /** Hash of the `RoutedPlan` object. */
  readonly plan: string;
  /** In the order of its buckets. */
  readonly implementations: readonly RoutedBy[];
  /** The default model, which answers in safe mode. */
  readonly safe: RoutedBy;
  /** Answers less sure than this, in [0, 1], are the default model's to give. */
  readonly margin: number;
  /** Share of a bucket, in (0, 1], above which all of it is. */
  readonly share: number;
}

/**
 * What a proxy is fitted to, besides the oracle's answers: vectors of the inputs, or their words. `nearness`: of a join, it
 * is not fitted but compares the vectors of a pair's values; `keys`: likewise, the keys of the values.
 */
export type FittedKind = 'embedding' | 'lexicon' | 'nearness' | 'keys';
/**
 * `labels`: labels are found on a sample, then every input is classified; `pairs`: inputs are compared with those near them,
 * and make clusters; the others as in `StrategyKind`.
 */
export type RoundsKind = 'tree' | 'fold' | 'labels' | 'pairs' | 'pairwise' | 'heap' | 'listwise';

/** A call that is answered in rounds of questions, each round made from the answers of those before. */
export interface RoundsSchedule {
  readonly kind: RoundsKind;
  /** Tokens of data that one question may hold, as `estimateTokens` counts them. */
  readonly tokens: number;
  /** Of pairs: who embeds the inputs in the first round; absent: they are compared by their spelling. */
  readonly nearness?: OtherModel;
  /** Of a top-k. */
  readonly top?: TopK & { readonly bothOrders: boolean };
}

/** Which inputs a query needs in order: the first `count` of them, by falling score, or with `least`, by rising score. */
export interface TopK {
  readonly count: number;
  readonly least: boolean;
}
