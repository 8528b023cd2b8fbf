import type { Answer } from '../ports.js';
import type { StopReason } from '../../plans/protocol/run.js';

/** What became of one input of a partition. */
export type Outcome =
  | { readonly state: 'ok'; readonly answer: Answer; readonly cached: boolean }
  | { readonly state: 'error'; readonly code: string; readonly message: string }
  | { readonly state: 'transient'; readonly code: string; readonly message: string; readonly retryAfterMs?: number }
  | { readonly state: 'undecided'; readonly limit?: StopReason };

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
