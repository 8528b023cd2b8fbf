/** Symbolic implementations made without a language model, as plain data: what `plan show` prints and any worker can run. */
import { termsOf, type WordWeights, wordScorer } from '../cascade/fitted/lexicon.js';
import { type Direction, nearnessScorer } from '../cascade/fitted/nearness.js';

/** A row as rules see it: text and numbers by column, embeddings by the name of what they are of. */
export interface RuleRow {
  readonly texts: Readonly<Record<string, string>>;
  readonly numbers: Readonly<Record<string, number | null>>;
  readonly vectors?: Readonly<Record<string, ArrayLike<number>>>;
}

/** Patterns that a rule may ask for: a fixed family, quick on any text. */
export const patterns = {
  number: /\d/,
  year: /\b(?:19|20)\d{2}\b/,
  date: /\b\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}\b/,
  money: /[$€£¥]\s?\d|\b\d+(?:[.,]\d+)?\s?(?:dollars?|euros?|usd|eur)\b/i,
  percentage: /\d\s?%/,
  question: /\?/,
  exclamation: /!/,
  web: /\bhttps?:\/\/|\bwww\./i,
  mail: /\b[\w.+-]{1,64}@[\w-]{1,64}\.\w/,
  capitals: /\b[A-Z]{4,}\b/,
  negation: /\b(?:not|never|no|none|cannot)\b|n['’]t\b/i,
  quotation: /["“”«»]/,
} as const;

export type PatternName = keyof typeof patterns;

/** One question about a row. A number that is null is neither below nor at least anything. */
export type RuleTest =
  | { readonly kind: 'term'; readonly column: string; readonly term: string }
  | { readonly kind: 'pattern'; readonly column: string; readonly pattern: PatternName }
  | { readonly kind: 'longer'; readonly column: string; readonly than: number }
  | { readonly kind: 'below'; readonly column: string; readonly threshold: number }
  | { readonly kind: 'atLeast'; readonly column: string; readonly threshold: number };

export interface Rule {
  readonly test: RuleTest;
  readonly label: string;
  /** Share of the rows it was learned from that it was right about, with one added to each label (Laplace). */
  readonly confidence: number;
}

export type RuleProgram =
  /** The first rule whose test holds decides. */
  | {
      readonly kind: 'list';
      readonly rules: readonly Rule[];
      readonly otherwise: { readonly label: string; readonly confidence: number };
    }
  /** The label whose words weigh most. With two labels, one weighing decides for the first or the second. */
  | { readonly kind: 'words'; readonly column: string; readonly of: readonly Weighed<WordWeights>[] }
  /** The label towards which the embedding points most. */
  | { readonly kind: 'nearness'; readonly column: string; readonly of: readonly Weighed<Direction>[] };

export interface Weighed<T> {
  readonly label: string;
  readonly by: T;
}

export interface RuleAnswer {
  readonly label: string;
  /** In [0, 1]. */
  readonly confidence: number;
}

/** Makes a function of rows from a program. @throws RangeError for a row without the column or vector that it reads */
export function runRules(program: RuleProgram): (row: RuleRow) => RuleAnswer {
  if (program.kind === 'list') {
    const { rules, otherwise } = program;
    return (row) => {
      const terms = termSets();
      return rules.find(({ test }) => holds(test, row, terms)) ?? otherwise;
    };
  }
  const scorers =
    program.kind === 'words'
      ? program.of.map(({ label, by }) => {
          const score = wordScorer(by);
          return { label, score: (row: RuleRow) => score(textOf(row, program.column)) };
        })
      : program.of.map(({ label, by }) => {
          const score = nearnessScorer(by);
          return { label, score: (row: RuleRow) => score(vectorOf(row, program.column)) };
        });
  return (row) => strongest(scorers.map(({ label, score }) => ({ label, weight: score(row) })));
}

/** The heaviest, with its share of all weights; of equal ones the first. */
function strongest(weighed: readonly { readonly label: string; readonly weight: number }[]): RuleAnswer {
  const sum = weighed.reduce((total, { weight }) => total + weight, 0);
  const best = weighed.reduce((a, b) => (b.weight > a.weight ? b : a));
  return { label: best.label, confidence: sum > 0 ? best.weight / sum : 1 / weighed.length };
}

/** Sets of terms of texts, each made once. */
export function termSets(): (text: string) => ReadonlySet<string> {
  const made = new Map<string, ReadonlySet<string>>();
  return (text) => {
    const terms = made.get(text) ?? new Set(termsOf(text));
    made.set(text, terms);
    return terms;
  };
}

/** Whether a row passes a test; `terms` as of `termSets`. */
export function holds(test: RuleTest, row: RuleRow, terms: (text: string) => ReadonlySet<string>): boolean {
  switch (test.kind) {
    case 'term':
      return terms(textOf(row, test.column)).has(test.term);
    case 'pattern':
      return patterns[test.pattern].test(textOf(row, test.column));
    case 'longer':
      return textOf(row, test.column).length > test.than;
    case 'below':
    case 'atLeast': {
      const value = row.numbers[test.column];
      if (value === undefined) throw new RangeError(`the row has no number ${JSON.stringify(test.column)}`);
      return value !== null && (test.kind === 'below' ? value < test.threshold : value >= test.threshold);
    }
  }
}

export function textOf({ texts }: RuleRow, column: string): string {
  const text = texts[column];
  if (text === undefined) throw new RangeError(`the row has no text ${JSON.stringify(column)}`);
  return text;
}

export function vectorOf({ vectors = {} }: RuleRow, column: string): ArrayLike<number> {
  const vector = vectors[column];
  if (vector === undefined) throw new RangeError(`the row has no vector ${JSON.stringify(column)}`);
  return vector;
}

/** A program in words, a line each, for people. */
export function describeRules(program: RuleProgram): readonly string[] {
  if (program.kind === 'list') {
    const { rules, otherwise } = program;
    const sure = (confidence: number): string => `${Math.round(100 * confidence)} %`;
    return [
      ...rules.map(({ test, label, confidence }) => `if ${testText(test)}: ${label} (${sure(confidence)})`),
      `else: ${otherwise.label} (${sure(otherwise.confidence)})`,
    ];
  }
  if (program.kind === 'nearness')
    return [`the direction of the embedding of ${program.column}, learned of each label`];
  return program.of.map(({ label, by }) => {
    const heaviest = [...by.terms].sort((a, b) => b.weight - a.weight).slice(0, 8);
    return `${label}: ${heaviest.map(({ term, weight }) => `${term} ${weight.toFixed(2)}`).join(', ')}, …`;
  });
}

function testText(test: RuleTest): string {
  switch (test.kind) {
    case 'term':
      return `${test.column} has "${test.term}"`;
    case 'pattern':
      return `${test.column} has a ${test.pattern}`;
    case 'longer':
      return `${test.column} is longer than ${test.than} characters`;
    case 'below':
      return `${test.column} < ${test.threshold}`;
    case 'atLeast':
      return `${test.column} ≥ ${test.threshold}`;
  }
}
