import type { FaultRates } from '../profile.schema.js';
import { drawsOf } from '../random.js';

export type Fault = keyof FaultRates;

/**
 * The fault that strikes a call, if any: drawn from the call's content and how often it has been sent, so that a run with
 * the same calls meets the same faults and a call sent again may get through.
 */
export function faultOf(
  rates: FaultRates,
  seed: number,
  model: string,
  call: string,
  attempt: number,
): Fault | undefined {
  let luck = drawsOf('fault', seed, model, call, attempt).uniform();
  for (const [fault, rate] of Object.entries(rates) as [Fault, number][]) {
    if (luck < rate) return fault;
    luck -= rate;
  }
  return undefined;
}

/** Counts how often each call has come. */
export class Attempts {
  private readonly seen = new Map<string, number>();

  next(call: string): number {
    const attempt = (this.seen.get(call) ?? 0) + 1;
    this.seen.set(call, attempt);
    return attempt;
  }
}
