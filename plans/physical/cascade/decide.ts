import type { AskAll, Cascade } from './thresholds.js';

export type Verdict = 'accept' | 'reject' | 'ask';

/** What the proxy's score decides for a tuple that was not sampled. */
export function decide(cascade: Cascade | AskAll, score: number): Verdict {
  if (cascade.kind === 'ask-all') return 'ask';
  if (cascade.reject !== undefined && score < cascade.reject) return 'reject';
  return cascade.accept !== undefined && score >= cascade.accept ? 'accept' : 'ask';
}
