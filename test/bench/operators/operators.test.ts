import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { accuracyAt } from '../../../bench/pool/answers/judge.js';
import { defaultProfiles } from '../../../bench/pool/profile.schema.js';
import { Difficulty } from '../../../bench/pool/truth/difficulty.js';
import { Truth } from '../../../bench/pool/truth/registry.js';
import { cases, type OperatorCase, topK } from '../../../bench/operators/cases.js';
import {
  clipFile,
  type Measured,
  modelName,
  openPoolProject,
  type PoolProject,
} from '../../../bench/operators/pool-project.js';
import { clip, ticketTruth } from '../../../bench/operators/tickets.js';
import { wordErrorRate } from '../../../bench/operators/word-errors.js';
import { binomialCdf } from '../../../plans/physical/cascade/bounds/beta.js';

/** Every operator through the real stack on the simulated pool: answers are as right as the profile says, and all is counted. */

const count = 160;
const clips = 20;
const seed = 1;
/** Two-sided, of each comparison below. */
const alpha = 1e-4;

let pool: PoolProject;
let measured: ReadonlyMap<string, Measured>;
beforeAll(async () => {
  pool = await openPoolProject({ tickets: count, clips, seed });
  const all = await Promise.all(cases.map(async (one) => [one.name, await pool.measure(one)] as const));
  measured = new Map(all);
});
afterAll(() => pool.close());

const measuredAs = (name: string): Measured => measured.get(name)!;

const profiles = defaultProfiles();

/** Chance that an answer is right, averaged over the tickets: by the curve of the profile at each ticket's difficulty. */
function expectedOf({ fields = [], model = 'strong' }: OperatorCase): number {
  const profile = profiles[`sim-${model}`]!;
  const truth = new Truth(ticketTruth(count));
  const difficulty = new Difficulty(truth, 'sourced', seed);
  const chances = truth
    .rowsOf('tickets')
    .map((tuple) => fields.reduce((all, field) => all * accuracyAt(profile, difficulty.of(tuple, field)), 1));
  return chances.reduce((sum, chance) => sum + chance, 0) / chances.length;
}

function expectWithin(right: number, of: number, rate: number): void {
  const what = `${right} of ${of}, expected a rate of ${rate}`;
  expect(binomialCdf(right, of, rate), what).toBeGreaterThan(alpha);
  expect(1 - binomialCdf(right - 1, of, rate), what).toBeGreaterThan(alpha);
}

describe.each(cases.filter(({ fields }) => fields !== undefined))('$name', (operator) => {
  test('is as right as the profile says', () => {
    const { right, of, result } = measuredAs(operator.name);
    expect([result.stop, result.errors.count, of]).toEqual(['complete', 0, count]);
    expectWithin(right, of, expectedOf(operator));
    if (operator.operator !== 'embed') expect(result.spend).toMatchObject({ calls: count, failed: 0, retries: 0 });
  });
});

test('what the pool counted is what the runs report, to the cent', () => {
  const counts = pool.pools.sourced!.counts();
  const sum = (of: (entry: { calls: number; usd: number; inputTokens: number; outputTokens: number }) => number) =>
    [...Object.values(counts)].reduce((total, entry) => total + of(entry), 0);
  const spent = (of: keyof Measured['result']['spend']) =>
    [...measured.values()].reduce((total, { result }) => total + result.spend[of], 0);
  expect(Object.values(counts).map(({ unanswered }) => unanswered)).toEqual([0, 0]);
  expect(spent('calls')).toBe(sum(({ calls }) => calls));
  expect(spent('inputTokens')).toBe(sum(({ inputTokens }) => inputTokens));
  expect(spent('outputTokens')).toBe(sum(({ outputTokens }) => outputTokens));
  expect(spent('usd')).toBeCloseTo(
    sum(({ usd }) => usd),
    9,
  );
});

test('the k best are those with the best scores that the model gives', () => {
  const scores = new Map(measuredAs('score').rows.map((row) => [Number(row['id']), Number(row['a'])]));
  const best = measuredAs('score, top-k');
  const found = best.rows.map((row) => scores.get(Number(row['id']))!);
  expect(found).toEqual([...scores.values()].sort((a, b) => b - a).slice(0, topK));
  expect(best.right / best.of).toBeGreaterThanOrEqual(0.7);
});

test('search finds rows of the class that was searched for', () => {
  const { right, of } = measuredAs('embed: search');
  // classes are as frequent as each other: of the rows that the embedder takes for one, a share as large as its accuracy is
  const nearest = cases.find(({ name }) => name === 'embed: nearest topic')!;
  expectWithin(right, of, expectedOf(nearest));
  expect(right / of).toBeGreaterThan(0.5);
});

test('clips are transcribed with the error rate of the profile', async () => {
  const { fermata } = pool.project;
  const tables = { clips: { path: clipFile, audio: ['clip'] } };
  const sql = `SELECT id, AI_TRANSCRIBE(clip, {model: '${modelName('transcribe', 'sourced')}'}) AS a FROM clips`;
  const rows = await (await fermata.sql(sql, { tables })).rows();
  expect(rows).toHaveLength(clips);
  const rates = rows.map((row) => wordErrorRate(clip(Number(row['id'])).words, String(row['a'])));
  const rate = rates.reduce((sum, one) => sum + one, 0) / clips;
  const expected = profiles['sim-transcribe']!.transcription!.wordErrorRate;
  // a word that was taken for another may be taken for itself
  expect(rate).toBeGreaterThan(expected / 2);
  expect(rate).toBeLessThan(expected * 1.5);
});
