/** One token of a reply with its natural-log probability. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
}

/** The value in `{"answer": value}`, up to the closing brace. */
const answerValue = /"answer"\s*:\s*(.*?)\s*\}?\s*$/s;

/**
 * Probability that the model gave to its answer: exp of the sum of log-probabilities of the tokens that the value of
 * `answer` is made of (all tokens for free text, or where tokens do not spell the reply). It is the probability of these
 * very tokens, so long answers score low; compare answers of one operator only.
 */
export function answerProbability(reply: string, tokens: readonly TokenLogprob[]): number | undefined {
  if (tokens.length === 0) return undefined;
  const spelled = tokens.map(({ token }) => token).join('');
  const value = answerValue.exec(spelled)?.[1];
  const start = spelled !== reply || value === undefined ? 0 : spelled.indexOf(value, spelled.indexOf('"answer"') + 8);
  const end = spelled !== reply || value === undefined ? spelled.length : start + value.length;
  let at = 0;
  let sum = 0;
  for (const { token, logprob } of tokens) {
    if (at < end && at + token.length > start) sum += logprob;
    at += token.length;
  }
  const probability = Math.exp(sum);
  return Number.isFinite(probability) ? Math.min(1, probability) : undefined;
}
