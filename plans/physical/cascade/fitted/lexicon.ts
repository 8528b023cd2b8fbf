/** A proxy of words: which words and pairs of words go with a true answer, by the oracle's answers to a few tuples. */
import { type Features, fitLogistic, scoreWith, unit } from './logistic.js';

/** Words stand in at least so many of the texts that are learned from; the commonest are kept. */
const leastTexts = 2;
const mostTerms = 4000;
/** Longest part of a text that is read, in UTF-16 units. */
const read = 20_000;

/** Words, and runs of a script that has no spaces. */
const word = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+|[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu;
const unspaced = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/** The distinct terms of a text: words and neighbouring pairs of them; of scripts without spaces, characters and pairs. */
export function termsOf(text: string): readonly string[] {
  const found = text.slice(0, read).normalize('NFKC').toLowerCase().match(word) ?? [];
  const words = found.flatMap((part) => (unspaced.test(part) ? Array.from(part) : [part]));
  const pairs = words.slice(1).map((next, at) => `${words[at] ?? ''} ${next}`);
  return [...new Set([...words, ...pairs])];
}

/** What words weigh, as plain data. */
export interface WordWeights {
  readonly terms: readonly {
    readonly term: string;
    /** How much its presence says at all: the rarer, the heavier. */
    readonly rarity: number;
    /** Positive where it goes with a true answer. */
    readonly weight: number;
  }[];
  readonly bias: number;
}

/**
 * Learns word weights from texts whose answers are known, and scores any text by them, in (0, 1). Needs texts of both
 * answers to be of use.
 *
 * @example
 * const score = fitLexicon(['it burned', 'all well', 'burned out', 'very well'], [true, false, true, false]);
 */
export function fitLexicon(texts: readonly string[], labels: readonly boolean[]): (text: string) => number {
  return wordScorer(weighWords(texts, labels));
}

/** Word weights from texts whose answers are known. */
export function weighWords(texts: readonly string[], labels: readonly boolean[]): WordWeights {
  const counts = new Map<string, number>();
  const terms = texts.map(termsOf);
  for (const term of terms.flat()) counts.set(term, (counts.get(term) ?? 0) + 1);
  const kept = [...counts]
    .filter(([, count]) => count >= leastTexts)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, mostTerms)
    // Terms that most texts have tell little: the rarer, the heavier.
    .map(([term, count]) => ({ term, rarity: Math.log(1 + texts.length / count) }));
  const featuresOf = features(kept);
  const head = fitLogistic(terms.map(featuresOf), labels, kept.length);
  return {
    terms: kept.map(({ term, rarity }, at) => ({ term, rarity, weight: head.weights[at] ?? 0 })),
    bias: head.bias,
  };
}

/** Scores any text by word weights, in (0, 1). */
export function wordScorer({ terms, bias }: WordWeights): (text: string) => number {
  const head = { weights: Float64Array.from(terms, ({ weight }) => weight), bias };
  const featuresOf = features(terms);
  return (text) => scoreWith(head, featuresOf(termsOf(text)));
}

function features(
  kept: readonly { readonly term: string; readonly rarity: number }[],
): (of: readonly string[]) => Features {
  const weighed = new Map(kept.map(({ term, rarity }, at) => [term, { at, rarity }]));
  return (of) => {
    const known = of.flatMap((term) => weighed.get(term) ?? []);
    return unit({ at: known.map(({ at }) => at), value: known.map(({ rarity }) => rarity) });
  };
}
