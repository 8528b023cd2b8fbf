import type { TruthData, TruthTask, TruthTuple } from '../types.js';
import { csv, type CsvRow, text } from './data.js';

/** The grades that critics give, as shares of the best. */
const letters: Readonly<Record<string, number>> = { A: 0.95, B: 0.8, C: 0.6, D: 0.4, E: 0.2, F: 0.2 };
const steps: Readonly<Record<string, number>> = { '+': 0.05, '-': -0.05, '': 0 };

/** A critic's own score, `3.5/4` or `B+`, in [0,1]; undefined where there is none. */
export function criticScore(score: string): number | undefined {
  const [, points, best] = /^(\d+(?:\.\d+)?)\/(\d+(?:\.\d+)?)$/.exec(score.trim()) ?? [];
  if (Number(best) > 0) return Math.min(1, Number(points) / Number(best));
  const [, letter, step] = /^([A-F])([+-]?)$/.exec(score.trim()) ?? [];
  const grade = letter === undefined ? undefined : letters[letter];
  return grade === undefined ? undefined : Math.min(1, grade + (steps[step ?? ''] ?? 0));
}

/** The site calls a review fresh from about this share on. */
const turning = 0.6;

const sentiment = [
  'sentiment',
  'positive',
  'negative',
  'favourable',
  'favorable',
  'recommend',
  'fresh',
  'rotten',
  'good',
  'bad',
  'like',
  'liked',
];

const tasks: readonly TruthTask[] = [
  {
    key: 'movie.sentiment',
    collections: ['movie.reviews'],
    intent: [sentiment],
    truth: {
      rule: 'field',
      field: 'sentiment',
      labels: {
        POSITIVE: ['positive', 'good', 'fresh', 'favourable', 'favorable', 'recommended', 'pos'],
        NEGATIVE: ['negative', 'bad', 'rotten', 'unfavourable', 'unfavorable', 'not recommended', 'neg'],
      },
    },
  },
  {
    key: 'movie.positive',
    collections: ['movie.reviews'],
    intent: [['positive', 'favourable', 'favorable', 'recommend', 'fresh', 'good', 'like', 'liked', 'praise']],
    truth: { rule: 'test', field: 'sentiment', in: ['POSITIVE'] },
  },
  {
    key: 'movie.negative',
    collections: ['movie.reviews'],
    intent: [['negative', 'unfavourable', 'unfavorable', 'rotten', 'bad', 'dislike', 'pan']],
    truth: { rule: 'test', field: 'sentiment', in: ['NEGATIVE'] },
  },
  {
    key: 'movie.same-sentiment',
    collections: ['movie.reviews'],
    intent: [['same', 'agree', 'alike'], sentiment],
    truth: { rule: 'pair', left: 'sentiment', right: 'sentiment', relation: 'equal' },
  },
  {
    key: 'movie.opposite-sentiment',
    collections: ['movie.reviews'],
    intent: [['opposite', 'differ', 'contrary', 'disagree'], sentiment],
    truth: { rule: 'pair', left: 'sentiment', right: 'sentiment', relation: 'different' },
  },
  {
    key: 'movie.score',
    collections: ['movie.reviews'],
    intent: [['score', 'rate', 'rating', 'how much', 'how positive']],
    truth: { rule: 'field', field: 'score', range: [0, 1] },
  },
  {
    key: 'movie.rank',
    collections: ['movie.reviews'],
    intent: [['more positive', 'rank', 'most positive', 'best review', 'order']],
    truth: { rule: 'rank', field: 'score', range: [0, 1] },
  },
];

/**
 * SemBench Movie: reviews with the site's flag and the critic's score. Evidence of the flag: how far the critic's score is
 * from where the flag turns, which no prompt shows; reviews without a score are in between.
 */
export function movieTruth(folder: string): TruthData {
  return movieTruthOf(csv(folder, 'sembench-movie', 'Reviews.csv'));
}

/** The same of rows like those of `Reviews.csv`. */
export function movieTruthOf(rows: readonly CsvRow[]): TruthData {
  const tuples = rows.map((row, at): TruthTuple => {
    const score = criticScore(text(row, 'originalScore'));
    const sign = text(row, 'scoreSentiment');
    const side = sign === 'POSITIVE' ? 1 : -1;
    // a score on the other side of the turn speaks against the flag
    const evidence =
      score === undefined ? 0.5 : 0.5 + (side * (score - turning)) / (2 * (side > 0 ? 1 - turning : turning));
    return {
      id: String(at),
      collection: 'movie.reviews',
      values: [text(row, 'reviewText')],
      fields: { sentiment: sign, score: score ?? (sign === 'POSITIVE' ? 0.8 : 0.3), movie: text(row, 'id') },
      evidence: { sentiment: evidence, score: score === undefined ? 0.2 : 0.5 },
      about: sign,
    };
  });
  return { tuples, tasks };
}
