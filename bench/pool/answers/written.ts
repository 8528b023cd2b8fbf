/** An answer as a tree whose leaves know how sure the model is, and its text with a log-probability a token. */
import type { JsonValue } from '../../../plans/protocol/json.js';

export type Written =
  | {
      readonly kind: 'leaf';
      readonly value: JsonValue;
      readonly confidence: number;
      readonly others: readonly JsonValue[];
    }
  | { readonly kind: 'list'; readonly items: readonly Written[] }
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Written])[] };

export interface Token {
  readonly token: string;
  readonly logprob: number;
  /** Likelier first, without the token itself. */
  readonly others: readonly { readonly token: string; readonly logprob: number }[];
}

/** Tokens that follow from the ones before them are all but certain. */
const certain = -1e-5;

export const leaf = (value: JsonValue, confidence = 1, others: readonly JsonValue[] = []): Written => ({
  kind: 'leaf',
  value,
  confidence,
  others,
});

/** The value of a tree, without probabilities. */
export function valueOf(written: Written): JsonValue {
  if (written.kind === 'leaf') return written.value;
  if (written.kind === 'list') return written.items.map(valueOf);
  return Object.fromEntries(written.entries.map(([name, item]) => [name, valueOf(item)]));
}

/** The tree as JSON, in tokens. */
export function jsonTokens(written: Written): readonly Token[] {
  if (written.kind === 'leaf') return leafTokens(JSON.stringify(written.value), written, JSON.stringify);
  const parts = written.kind === 'list' ? written.items.map((item) => ['', item] as const) : written.entries;
  const tokens: Token[] = [plain(written.kind === 'list' ? '[' : '{')];
  for (const [at, [name, item]] of parts.entries()) {
    if (at > 0) tokens.push(plain(', '));
    if (written.kind === 'object') tokens.push(...pieces(JSON.stringify(name)).map(plain), plain(': '));
    tokens.push(...jsonTokens(item));
  }
  return [...tokens, plain(written.kind === 'list' ? ']' : '}')];
}

/** One leaf as bare text, worded by `word`. */
export function textTokens(written: Written, word: (value: JsonValue) => string): readonly Token[] {
  if (written.kind !== 'leaf') return pieces(word(valueOf(written))).map(plain);
  return leafTokens(word(written.value), written, word);
}

const plain = (token: string): Token => ({ token, logprob: certain, others: [] });

/** The first token of the value bears the whole doubt; what follows it is settled. */
function leafTokens(
  text: string,
  { confidence, others }: Extract<Written, { readonly kind: 'leaf' }>,
  word: (value: JsonValue) => string,
): readonly Token[] {
  const split = pieces(text);
  const first = split[0] === '"' && split.length > 2 ? 1 : 0;
  const rest = Math.max(1e-9, 1 - confidence);
  const different = others.map((other) => pieces(word(other))[first] ?? '').filter((token) => token !== split[first]);
  const alternatives = [...new Set(different)].map((token) => ({
    token,
    logprob: Math.log(rest / (1 + new Set(different).size)),
  }));
  return split.map((token, at) =>
    at === first ? { token, logprob: Math.min(certain, Math.log(confidence)), others: alternatives } : plain(token),
  );
}

/** About as a tokenizer cuts: words with the space before them, long ones in parts, marks by themselves. */
function pieces(text: string): readonly string[] {
  return text.match(/ ?[\p{L}\p{N}]{1,8}|\s|[^\p{L}\p{N}\s]/gu) ?? [];
}
