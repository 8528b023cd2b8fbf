/**
 * A physical plan of one semantic operator: each input is answered by one of several implementations. Plain data, readable as
 * JSON. Its programs and features know the inputs by their place in the prompt, as `input0`, `input1` … (`inputs.ts`).
 */
import type { Router } from '../router/route.js';
import type { RuleProgram } from '../synthesis/rules.js';

/** One way to answer the operator; its family as in CADENZA §5.1. */
export type RoutedImplementation = MeasuredPrice &
  /** Rules over texts alone: inputs come as texts, without numbers or vectors. */
  (
    | { readonly family: 'symbolic'; readonly name: string; readonly program: RuleProgram }
    /** JavaScript as of `GeneratedCode`, run in the sandbox alone. */
    | { readonly family: 'symbolic'; readonly name: string; readonly code: string }
    /** A model by its name in the configuration; `batch`: inputs a prompt, 1 when left out. */
    | {
        readonly family: 'specialized' | 'general';
        readonly name: string;
        readonly model: string;
        readonly batch?: number;
      }
  );

/** Means over the inputs of the validation set. */
export interface MeasuredPrice {
  readonly usd: number;
  readonly seconds: number;
}

export interface RoutedPlan {
  readonly version: 1;
  /** `planSignature` of the calls that it was made for. */
  readonly signature: string;
  /** In the order of the router's buckets: cheapest first. At least one. */
  readonly implementations: readonly RoutedImplementation[];
  readonly router: Router;
  /**
   * θ in [0, 1], one for each implementation: an answer whose confidence is below goes to the next implementation. 0 keeps every
   * answer; the last one's is 0. An answer without a confidence counts as sure.
   */
  readonly thresholds: readonly number[];
  readonly safety: SafetyPolicy;
}

/** When the optimized plan gives way to the default model. */
export interface SafetyPolicy {
  /** Name of the default model: it answers what failed, broke its schema or was less sure than `margin`. */
  readonly model: string;
  readonly margin: number;
  /** In (0, 1]: where more of a bucket than this ends in safe mode, the bucket is switched off for the run. */
  readonly share: number;
}
