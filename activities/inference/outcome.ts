import type { Answer } from '../ports.js';
import type { CallError } from '../../plans/protocol/call-errors.js';
import type { StopReason } from '../../plans/protocol/run.js';

/** What became of one input of a partition. */
export type Outcome =
  | { readonly state: 'ok'; readonly answer: Answer; readonly cached: boolean }
  | { readonly state: 'error'; readonly code: string; readonly message: string }
  | {
      readonly state: 'transient';
      readonly code: string;
      readonly message: string;
      /** The endpoint asked not to be called before then, in milliseconds since the epoch. */
      readonly retryAt?: number;
      /** Nobody answered at the model's address. */
      readonly absent?: true;
    }
  | { readonly state: 'undecided'; readonly limit?: StopReason };

/** What a failed call means for its input. `now`: when it failed, in milliseconds since the epoch. */
export function outcomeOfError({ code, message, fate, retryAfterMs, absent }: CallError, now: number): Outcome {
  if (fate !== 'transient') return { state: 'error', code, message };
  const retryAt = retryAfterMs === undefined ? {} : { retryAt: now + retryAfterMs };
  return { state: 'transient', code, message, ...retryAt, ...(absent ? { absent } : {}) };
}

/** The outcomes of inputs: found in the ledger, or what became of their key; a key that was not asked is undecided. */
export function outcomesOf(
  prompts: readonly { readonly key: string }[],
  found: readonly (Answer | undefined)[],
  asked: ReadonlyMap<string, Outcome>,
): readonly Outcome[] {
  return prompts.map(({ key }, at) => {
    const answer = found[at];
    return answer === undefined ? (asked.get(key) ?? { state: 'undecided' }) : { state: 'ok', answer, cached: true };
  });
}
