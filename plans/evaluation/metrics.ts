/** Quality of answers in [0, 1], and which quality counts for which operator. */
import type { OperatorKind } from '../operators/call.js';
import type { JsonValue } from '../protocol/json.js';
import { accuracy, adjustedRandIndex, labelF1, macroF1 } from './labels.js';
import { errorQuality, relativeError } from './numbers.js';
import { spearman } from './ranking.js';
import { sameText, textSimilarity } from './text.js';

export type MetricName =
  | 'f1'
  | 'accuracy'
  | 'macroF1'
  | 'randIndex'
  | 'relative'
  | 'spearman'
  | 'exactText'
  | 'fuzzyText';

/** Quality of answers row by row beside the right ones; a missing answer is null. At least one row. */
export type Metric = (found: readonly JsonValue[], gold: readonly JsonValue[]) => number;

/** Every metric by its name; those that can be negative are cut to 0. */
export const metrics: Readonly<Record<MetricName, Metric>> = {
  /** Of the rows that are true; 1 where none is and none was named. */
  f1: (found, gold) => {
    const [ours, real] = [found.map(label), gold.map(label)];
    return [...ours, ...real].includes('true') ? labelF1(ours, real, 'true') : 1;
  },
  accuracy: (found, gold) => accuracy(found.map(label), gold.map(label)),
  macroF1: (found, gold) => macroF1(found.map(label), gold.map(label)),
  randIndex: (found, gold) => Math.max(0, adjustedRandIndex(found.map(label), gold.map(label))),
  relative: (found, gold) => mean(gold, (real, at) => errorQuality(relativeError(number(found[at]), number(real)))),
  spearman: (found, gold) => Math.max(0, spearman(found.map(number), gold.map(number))),
  exactText: (found, gold) => mean(gold, (real, at) => Number(sameText(label(found[at]), label(real)))),
  fuzzyText: (found, gold) => mean(gold, (real, at) => textSimilarity(label(found[at]), label(real))),
};

/** The metric that an operator is judged by when the user names none. */
export const metricOf = {
  filter: 'f1',
  classify: 'macroF1',
  extract: 'exactText',
  complete: 'exactText',
  score: 'spearman',
  sentiment: 'accuracy',
  summarize: 'fuzzyText',
  translate: 'fuzzyText',
  embed: 'exactText',
  transcribe: 'fuzzyText',
  parse: 'fuzzyText',
  aggregate: 'fuzzyText',
  group: 'randIndex',
  dedup: 'randIndex',
  compare: 'accuracy',
  rank: 'spearman',
} as const satisfies Record<OperatorKind, MetricName>;

function label(value: JsonValue | undefined): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? null);
}

/** What is no number is infinitely far from every one. */
function number(value: JsonValue | undefined): number {
  const read = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof read === 'number' && !Number.isNaN(read) ? read : -Infinity;
}

function mean(gold: readonly JsonValue[], of: (real: JsonValue, at: number) => number): number {
  return gold.reduce<number>((sum, real, at) => sum + of(real, at), 0) / gold.length;
}
