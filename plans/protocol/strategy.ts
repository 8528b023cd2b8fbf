/** How the calls of a run are answered: what a user asks for, and what the plan makes of it. */
import type { Targets } from '../physical/cascade/targets.js';

export const strategyKinds = ['direct', 'cascade', 'batched', 'chunked'] as const;
/**
 * `direct`: the model answers each input. `cascade`: a cheap proxy answers first, the model where the proxy may be wrong.
 * `batched`: one prompt holds several inputs. `chunked`: a text that is too long is read in parts.
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
      readonly kind: 'batched';
      /** Inputs of one prompt, 2 to 200; fewer where the model's context is full. Default 20. */
      readonly size?: number;
    }
  | {
      readonly kind: 'chunked';
      /** Tokens of a part, as estimated, at least 64; default: what the model's context leaves. */
      readonly tokens?: number;
    };

/** Several inputs a prompt, as planned for one call. */
export interface BatchSchedule {
  readonly kind: 'batched';
  readonly size: number;
}

/** Long texts in parts, as planned for one call. */
export interface ChunkSchedule {
  readonly kind: 'chunked';
  readonly tokens?: number;
}

export type PromptSchedule = BatchSchedule | ChunkSchedule;

/** A cascade as planned for one call; the model of the call is the oracle. */
export interface CascadeSchedule {
  readonly kind: 'cascade';
  readonly proxy: {
    readonly model: string;
    readonly queue: string;
    readonly window: number;
    readonly retries?: number;
  };
  /** Absent: the proxy is a model that answers the question itself. */
  readonly fitted?: FittedKind;
  readonly targets: Targets;
}

/** What a proxy is fitted to, besides the oracle's answers: vectors of the inputs, or their words. */
export type FittedKind = 'embedding' | 'lexicon';
