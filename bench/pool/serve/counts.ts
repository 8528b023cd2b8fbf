/** What the pool has been asked, by model. */
import type { ModelProfile } from '../profile.schema.js';

export interface ModelCounts {
  /** Requests that were let in, with those that a fault struck. */
  calls: number;
  /** Known tuples in the prompts that were answered. */
  tuples: number;
  inputTokens: number;
  outputTokens: number;
  images: number;
  audioSeconds: number;
  usd: number;
  /** Requests turned away by the rate limits. */
  limited: number;
  /** Faults that were injected, by kind. */
  readonly faults: Record<string, number>;
  /** Calls that were passed to the real model, and those among them that it failed. */
  forwarded: number;
  forwardFailed: number;
  /** Calls that the truth could not answer, with no real model to pass them to. */
  unanswered: number;
  inFlight: number;
  maxInFlight: number;
  latencyMs: number;
  /** Answered calls by task. */
  readonly tasks: Record<string, number>;
}

const fresh = (inFlight: number): ModelCounts => ({
  calls: 0,
  tuples: 0,
  inputTokens: 0,
  outputTokens: 0,
  images: 0,
  audioSeconds: 0,
  usd: 0,
  limited: 0,
  faults: {},
  forwarded: 0,
  forwardFailed: 0,
  unanswered: 0,
  inFlight,
  maxInFlight: inFlight,
  latencyMs: 0,
  tasks: {},
});

export class Counts {
  private readonly models = new Map<string, ModelCounts>();
  private sleepers = 0;
  private sleptFrom = 0;
  private slept = 0;

  of(model: string): ModelCounts {
    const known = this.models.get(model) ?? fresh(0);
    this.models.set(model, known);
    return known;
  }

  /** Adds tokens, and their price in USD. */
  charge(model: string, price: ModelProfile['price'], inputTokens: number, outputTokens: number): void {
    const counts = this.of(model);
    counts.inputTokens += inputTokens;
    counts.outputTokens += outputTokens;
    counts.usd += (inputTokens * price.inputPerMTok + outputTokens * price.outputPerMTok) / 1e6;
  }

  enter(model: string): void {
    const counts = this.of(model);
    counts.calls++;
    counts.inFlight++;
    counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
  }

  leave(model: string): void {
    this.of(model).inFlight--;
  }

  /** Watches the simulated latency of one call. */
  async sleeping(latency: Promise<void>): Promise<void> {
    if (this.sleepers++ === 0) this.sleptFrom = performance.now();
    await latency;
    if (--this.sleepers === 0) this.slept += performance.now() - this.sleptFrom;
  }

  /** Wall-clock ms during which one call or more was in its simulated latency. */
  get sleptMs(): number {
    return this.slept + (this.sleepers === 0 ? 0 : performance.now() - this.sleptFrom);
  }

  /** A copy that does not change any more. */
  snapshot(): Readonly<Record<string, ModelCounts>> {
    return structuredClone(Object.fromEntries(this.models));
  }

  /** Starts all counts anew; what is in flight stays in flight. */
  reset(): void {
    for (const [model, { inFlight }] of this.models) this.models.set(model, fresh(inFlight));
    this.slept = 0;
    this.sleptFrom = performance.now();
  }
}
