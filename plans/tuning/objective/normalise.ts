/** What latency and cost are measured against: the direct-LLM run on the same rows (trial 0). */
export interface Reference {
  readonly latencySeconds: number;
  readonly costUsd: number;
  /** Below about this, differences do not matter; 1 s by default. */
  readonly latencyOffset?: number;
  /** 0.001 USD by default. */
  readonly costOffset?: number;
}

/** ln(1 + v/offset) / ln(1 + reference/offset): 0 for nothing, 1 for the reference, above 1 beyond it. */
function logShare(value: number, reference: number, offset: number): number {
  return Math.log1p(Math.max(0, value) / offset) / Math.log1p(Math.max(reference, 1e-12 * offset) / offset);
}

/** L̂ of `seconds`, not clipped: the surrogate needs to see how far a bad plan is off. */
export function normalisedLatency(seconds: number, reference: Reference): number {
  return logShare(seconds, reference.latencySeconds, reference.latencyOffset ?? 1);
}

/** Ĉ of `usd`, not clipped. */
export function normalisedCost(usd: number, reference: Reference): number {
  return logShare(usd, reference.costUsd, reference.costOffset ?? 0.001);
}

/** L̂ or Ĉ as shown to people, in [0, 1]. */
export function clipped(share: number): number {
  return Math.min(1, Math.max(0, share));
}
