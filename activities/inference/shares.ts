import type { Answer } from '../ports.js';

/** What an answer took: everything of it but the answer. */
export type Paid = Omit<Answer, 'value' | 'confidence'>;

/** What each of several answers of one call took, by the length of its input in tokens. */
export function sharesOf(whole: Paid, tokens: readonly number[]): readonly Paid[] {
  // One more each, so that empty inputs are not free.
  const total = tokens.reduce((sum, count) => sum + count + 1, 0);
  return tokens.map((count) => {
    const share = (count + 1) / total;
    const usage = {
      inputTokens: Math.round(share * whole.usage.inputTokens),
      outputTokens: Math.round(share * whole.usage.outputTokens),
    };
    return { ...whole, usage, usd: share * whole.usd, ms: share * whole.ms };
  });
}
