/** The ten Movie queries, worded as in CADENZA, Appendix J.1, with gold from the columns that systems do not see. */
import { type CsvRow, text } from '../../pool/truth/sets/data.js';
import type { PeerOperator, SemQuery } from '../scenario.js';

const films = { few: 'taken_3', pairs: 'ant_man_and_the_wasp_quantumania' } as const;

const positive = "AI_FILTER('review is clearly positive: {reviewText}')";
const ofFew = `id = '${films.few}'`;
const sentiment = "AI_CLASSIFY(reviewText, ['positive', 'negative'], {task_description: 'sentiment of the review'})";
const score = "AI_SCORE('Score from 1 to 5 how much the reviewer liked the movie: {reviewText}')";

const pairOf = (intent: string): string =>
  'SELECT r1.id AS id, r1.reviewId AS reviewId1, r2.reviewId AS reviewId2 FROM reviews r1 JOIN reviews r2 ' +
  `ON r1.id = r2.id AND r1.reviewId <> r2.reviewId AND AI_FILTER('${intent}: {r1.reviewText}, {r2.reviewText}') ` +
  `WHERE r1.id = '${films.pairs}'`;
const same = pairOf('Both reviews share the same sentiment');
const opposite = pairOf('These two reviews express opposite sentiments');

const sentiments = `SELECT id, reviewId, ${sentiment} AS s FROM reviews WHERE id = '${films.pairs}'`;
const pairedBy = (relation: '=' | '<>'): string =>
  `WITH said AS (${sentiments}) SELECT r1.id AS id, r1.reviewId AS reviewId1, r2.reviewId AS reviewId2 FROM said r1 JOIN said r2 ` +
  `ON r1.reviewId <> r2.reviewId AND r1.s ${relation} r2.s`;

/** The operators for systems without our SQL, in the same words. */
const asked = { table: 'reviews', column: 'reviewText' } as const;
const few = { ...asked, where: ['id', films.few] } as const;
const ofPairs = { ...asked, where: ['id', films.pairs] } as const;
const positives = { op: 'filter', condition: 'review is clearly positive' } as const;
const scores = {
  op: 'score',
  name: 'reviewScore',
  question: 'Score from 1 to 5 how much the reviewer liked the movie',
} as const;
const pairsBy = (condition: string): PeerOperator => ({
  ...{ ...ofPairs, op: 'join', condition },
  finish: (found, rows) =>
    found.flatMap(([a, b]) => {
      const [left, right] = [rows[a]?.['reviewId'], rows[Number(b)]?.['reviewId']];
      return left === right ? [] : [{ id: films.pairs, reviewId1: left, reviewId2: right }];
    }),
});

export function movieQueries(reviews: readonly CsvRow[], movies: readonly CsvRow[]): readonly SemQuery[] {
  const liked = (row: CsvRow): boolean => text(row, 'scoreSentiment') === 'POSITIVE';
  const ofTaken = reviews.filter((row) => text(row, 'id') === films.few);
  const good = ofTaken.filter(liked).length;
  const ids = (rows: readonly CsvRow[]) => [...new Set(rows.map((row) => text(row, 'reviewId')))].map((id) => [id]);
  const paired = distinct(reviews.filter((row) => text(row, 'id') === films.pairs));
  const pairs = (alike: boolean) =>
    paired.flatMap((a, at) =>
      paired
        .slice(at + 1)
        .filter((b) => (liked(a) === liked(b)) === alike)
        .map((b) => [films.pairs, text(a, 'reviewId'), text(b, 'reviewId')]),
    );
  const of = { metric: 'f1', bothEmpty: 0 } as const;
  const scored = paired.filter((row) => /^[\d.]+\//.test(text(row, 'originalScore')));
  const named = new Set(reviews.map((row) => text(row, 'id')));
  return [
    {
      id: 'Q1',
      question: 'Five clearly positive reviews (any movie). Return reviewId.',
      sql: `SELECT reviewId FROM reviews WHERE ${positive} LIMIT 5`,
      gold: { ...of, limit: 5, items: ids(reviews.filter(liked)) },
      operator: { ...asked, ...positives, limit: 5, finish: reviewIds },
    },
    {
      id: 'Q2',
      question: 'Five positive reviews for movie taken_3. Return reviewId.',
      sql: `SELECT reviewId FROM reviews WHERE ${ofFew} AND ${positive} LIMIT 5`,
      gold: { ...of, limit: 5, items: ids(ofTaken.filter(liked)) },
      operator: { ...few, ...positives, limit: 5, finish: reviewIds },
    },
    {
      id: 'Q3',
      question: 'Count of positive reviews for movie taken_3.',
      sql: `SELECT count(*) AS positive_review_cnt FROM reviews WHERE ${ofFew} AND ${positive}`,
      gold: { metric: 'relative error', value: good },
      operator: { ...few, ...positives, finish: (found) => [{ n: found.length }] },
    },
    {
      id: 'Q4',
      question: 'Positivity ratio of reviews for movie taken_3.',
      sql: `SELECT avg(CASE WHEN ${positive} THEN 1.0 ELSE 0.0 END) AS positivity_ratio FROM reviews WHERE ${ofFew}`,
      gold: { metric: 'relative error', value: good / ofTaken.length },
      operator: { ...few, ...positives, finish: (found) => [{ ratio: found.length / ofTaken.length }] },
    },
    {
      id: 'Q5',
      question: 'Ten pairs of reviews for ant_man_and_the_wasp_quantumania expressing the same sentiment.',
      sql: `${same} LIMIT 10`,
      gold: { ...of, limit: 10, pairs: true, items: pairs(true) },
      pairs: true,
      rewritten: `${pairedBy('=')} LIMIT 10`,
      searched: sentiments,
      operator: { ...pairsBy('Both reviews share the same sentiment'), limit: 10 },
    },
    {
      id: 'Q6',
      question: 'Ten pairs of reviews for the same movie expressing the opposite sentiment.',
      sql: `${opposite} LIMIT 10`,
      gold: { ...of, limit: 10, pairs: true, items: pairs(false) },
      pairs: true,
      rewritten: `${pairedBy('<>')} LIMIT 10`,
      searched: sentiments,
      operator: { ...pairsBy('These two reviews express opposite sentiments'), limit: 10 },
    },
    {
      id: 'Q7',
      question: 'All such opposite-sentiment pairs (no LIMIT).',
      sql: opposite,
      gold: { ...of, pairs: true, items: pairs(false) },
      pairs: true,
      rewritten: pairedBy('<>'),
      searched: sentiments,
      operator: pairsBy('These two reviews express opposite sentiments'),
    },
    {
      id: 'Q8',
      question: 'Counts of positive and negative reviews for taken_3.',
      sql: `SELECT ${sentiment} AS sentiment, count(*) AS n FROM reviews WHERE ${ofFew} GROUP BY sentiment`,
      gold: { metric: 'relative error by label', counts: { positive: good, negative: ofTaken.length - good } },
      operator: {
        ...{ ...few, op: 'label', name: 'sentiment', labels: ['positive', 'negative'] },
        ...{ question: 'sentiment of the review, positive or negative', finish: countByValue },
      },
    },
    {
      id: 'Q9',
      question: 'Score 1–5 how much each reviewer liked ant_man_and_the_wasp_quantumania.',
      sql: `SELECT reviewId, ${score} AS reviewScore FROM reviews WHERE id = '${films.pairs}'`,
      gold: {
        metric: 'spearman',
        values: new Map(scored.map((row) => [text(row, 'reviewId'), Number.parseFloat(text(row, 'originalScore'))])),
      },
      operator: {
        ...{ ...ofPairs, ...scores },
        finish: (found, rows) => found.map(([row, value]) => ({ reviewId: rows[row]?.['reviewId'], score: value })),
      },
    },
    {
      id: 'Q10',
      question: 'Rank movies by mean per-review score (1–5) over all their reviews.',
      sql: `SELECT id AS movieId, avg(${score}) AS movieScore FROM reviews GROUP BY id`,
      gold: {
        metric: 'spearman',
        values: new Map(
          movies
            .filter((row) => named.has(text(row, 'id')))
            .map((row) => [text(row, 'id'), Number(text(row, 'audienceScore'))]),
        ),
      },
      operator: { ...asked, ...scores, finish: meanByFilm },
    },
  ];
}

const reviewIds: PeerOperator['finish'] = (found, rows) =>
  found.map(([row]) => ({ reviewId: rows[row]?.['reviewId'] }));

const countByValue: PeerOperator['finish'] = (found) => {
  const counts = new Map<string, number>();
  for (const [, value] of found) counts.set(String(value), (counts.get(String(value)) ?? 0) + 1);
  return [...counts].map(([value, n]) => ({ value, n }));
};

const meanByFilm: PeerOperator['finish'] = (found, rows) => {
  const films = new Map<string, number[]>();
  for (const [row, value] of found) {
    const film = rows[row]?.['id'] ?? '';
    films.set(film, [...(films.get(film) ?? []), Number(value)]);
  }
  return [...films].map(([id, values]) => ({ id, score: values.reduce((sum, one) => sum + one, 0) / values.length }));
};

/** Reviews by their ids: the source has some of them twice. */
function distinct(rows: readonly CsvRow[]): readonly CsvRow[] {
  return [...new Map(rows.map((row) => [text(row, 'reviewId'), row])).values()];
}
