import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../cli/demo/csv-reader.js';
import { answerChat } from '../../../bench/pool/answers/answer.js';
import { readChat, type Schema } from '../../../bench/pool/serve/request.js';
import { Difficulty } from '../../../bench/pool/truth/difficulty.js';
import { Truth } from '../../../bench/pool/truth/registry.js';
import { truthSets } from '../../../bench/pool/truth/sets/index.js';
import { criticScore } from '../../../bench/pool/truth/sets/movie.js';
import type { TruthTuple } from '../../../bench/pool/truth/types.js';
import { exactProfiles, object } from './support.js';

const folder = process.env['FERMATA_DATA'] ?? '';
const lack = folder === '' ? '(skipped without FERMATA_DATA)' : '';

/** What a router of ours reads of a text. */
const textFeatures: Readonly<Record<string, (text: string) => number>> = {
  characters: (text) => text.length,
  words: (text) => text.split(/\s+/).length,
  digits: (text) => text.replace(/\D/g, '').length,
  capitals: (text) => text.replace(/[^\p{Lu}]/gu, '').length / Math.max(1, text.length),
  marks: (text) => text.replace(/[\p{L}\p{N}\s]/gu, '').length,
  sentences: (text) => text.split(/[.!?]/).length,
  'mean word': (text) => text.length / text.split(/\s+/).length,
};

/** Spearman's rank correlation, ties at their mean rank. */
function spearman(a: readonly number[], b: readonly number[]): number {
  const x = ranks(a);
  const y = ranks(b);
  const mean = (a.length - 1) / 2;
  let top = 0;
  let left = 0;
  let right = 0;
  for (let at = 0; at < a.length; at++) {
    const dx = x[at]! - mean;
    const dy = y[at]! - mean;
    top += dx * dy;
    left += dx * dx;
    right += dy * dy;
  }
  return left === 0 || right === 0 ? 0 : top / Math.sqrt(left * right);
}

function ranks(values: readonly number[]): readonly number[] {
  const order = values.map((_, at) => at).sort((i, j) => values[i]! - values[j]!);
  const result: number[] = [];
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1]!] === values[order[from]!]) to++;
    for (let at = from; at <= to; at++) result[order[at]!] = (from + to) / 2;
    from = to + 1;
  }
  return result;
}

const mediaFeatures = (tuple: TruthTuple): Readonly<Record<string, number>> => {
  const bytes = readFileSync(join(folder, 'fashion-1k', 'images', `${tuple.id}.jpg`));
  const mean = bytes.reduce((sum, byte) => sum + byte, 0) / bytes.length;
  return { bytes: bytes.length, 'mean byte': mean };
};

describe('a critic’s own score', () => {
  it.each([
    ['3/4', 0.75],
    ['7.5/10', 0.75],
    ['B+', 0.85],
    ['A', 0.95],
    ['', undefined],
    ['recommended', undefined],
    ['3/0', undefined],
    ['5/4', 1],
  ])('%s is %s', (score, share) => {
    const value = criticScore(score);
    if (share === undefined) expect(value).toBeUndefined();
    else expect(value).toBeCloseTo(share, 10);
  });
});

describe.skipIf(folder === '')(`data sets ${lack}`, () => {
  const data =
    folder === '' ? {} : Object.fromEntries(Object.entries(truthSets).map(([name, load]) => [name, load(folder)]));
  const asked = folder === '' ? [] : Object.keys(data);

  it.each(asked)('%s: difficulty cannot be read off what a router sees', (name) => {
    const { tuples } = data[name]!;
    const collections = [...new Set(tuples.map(({ collection }) => collection))];
    for (const seed of [1, 2]) {
      const truth = new Truth(data[name]!);
      const difficulty = new Difficulty(truth, 'sourced', seed);
      for (const collection of collections) {
        const rows = tuples.filter((tuple) => tuple.collection === collection && tuple.values[0] !== undefined);
        // fewer rows correlate by chance
        if (rows.length < 30) continue;
        const known = truth.rowsOf(collection);
        for (const field of Object.keys(rows[0]!.fields)) {
          const hard = known.map((tuple) => difficulty.of(tuple, field));
          for (const [feature, read] of Object.entries(textFeatures)) {
            const rho = spearman(
              hard,
              rows.map((tuple) => read(tuple.values[0] ?? '')),
            );
            expect(Math.abs(rho), `${collection} ${field}, ${feature}, seed ${seed}: ${rho}`).toBeLessThanOrEqual(0.6);
          }
        }
      }
    }
  });

  it('fashion: nor off the pictures', () => {
    const { tuples } = data['fashion']!;
    const truth = new Truth(data['fashion']!);
    const difficulty = new Difficulty(truth, 'sourced', 1);
    const features = tuples.map(mediaFeatures);
    for (const field of ['baseColour', 'articleType', 'season']) {
      const hard = truth.rowsOf('fashion.products').map((tuple) => difficulty.of(tuple, field));
      for (const feature of ['bytes', 'mean byte']) {
        expect(
          Math.abs(
            spearman(
              hard,
              features.map((one) => one[feature] ?? 0),
            ),
          ),
        ).toBeLessThanOrEqual(0.6);
      }
    }
  });

  it('evidence makes difficulty: what is plain is easier', () => {
    const { tuples } = data['movie']!;
    const truth = new Truth(data['movie']!);
    const difficulty = new Difficulty(truth, 'sourced', 1);
    const hard = truth.rowsOf('movie.reviews').map((tuple) => difficulty.of(tuple, 'sentiment'));
    expect(
      spearman(
        hard,
        tuples.map(({ evidence }) => evidence?.['sentiment'] ?? 0.5),
      ),
    ).toBeLessThan(-0.3);
    // the wholly unknown stay spread
    const unknown = hard.filter((_, at) => tuples[at]!.evidence?.['sentiment'] === 0.5);
    expect(Math.max(...unknown) - Math.min(...unknown)).toBeGreaterThan(0.4);
  });

  /** What an exact model says to a question about a text. */
  function exact(name: string, text: string, question: string, node: Schema): unknown {
    const truth = new Truth(data[name]!);
    const request = readChat({
      model: 'sim-strong',
      messages: [{ role: 'user', content: `<data>\n${text}\n</data>\n${question}` }],
      response_format: { type: 'json_schema', json_schema: { schema: object({ answer: node }) } },
    });
    const pool = { truth, difficulty: new Difficulty(truth, 'sourced', 1), seed: 1 };
    const answered = answerChat(pool, request, exactProfiles()['sim-strong']!, '');
    if (!answered.ok) throw new Error(answered.why);
    return (JSON.parse(answered.tokens.map(({ token }) => token).join('')) as { answer: unknown }).answer;
  }
  const bool = { type: 'boolean' };

  it('movie: every review is known, and sentiment is asked in many words', () => {
    const rows = readCsv(readFileSync(join(folder, 'sembench-movie', 'Reviews.csv'), 'utf8'));
    const truth = new Truth(data['movie']!);
    const known = rows.filter((row) => truth.byText(row['reviewText'] ?? '').length > 0);
    expect(known.length).toBe(rows.length);
    for (const row of rows.filter((_, at) => at % 400 === 0)) {
      const text = row['reviewText'] ?? '';
      const positive = row['scoreSentiment'] === 'POSITIVE';
      expect(exact('movie', text, 'Is this a clearly positive review?', bool)).toBe(positive);
      expect(exact('movie', text, 'Is the review negative?', bool)).toBe(!positive);
      expect(exact('movie', text, 'The sentiment?', { type: 'string', enum: ['positive', 'negative'] })).toBe(
        positive ? 'positive' : 'negative',
      );
      const labels = { type: 'string', enum: ['positive', 'negative'] };
      expect(exact('movie', text, 'Give the sentiment: positive or negative.', labels)).toBe(
        positive ? 'positive' : 'negative',
      );
      const score = exact('movie', text, 'Score from 1 to 5 how much the critic liked it', {
        type: 'number',
        minimum: 1,
        maximum: 5,
      });
      expect(score).toBeGreaterThanOrEqual(1);
      expect(score).toBeLessThanOrEqual(5);
    }
  });

  it('cars: crash, fire and component', () => {
    const rows = readCsv(readFileSync(join(folder, 'sembench-cars-text', 'complaints.csv'), 'utf8'));
    for (const row of rows.filter((_, at) => at % 400 === 0)) {
      const text = row['summary'] ?? '';
      expect(exact('cars', text, 'Was the car in a crash?', bool)).toBe(row['crash'] === 'True');
      expect(exact('cars', text, 'Did it catch fire?', bool)).toBe(row['fire'] === 'True');
      expect(
        exact('cars', text, 'Which component?', {
          type: 'string',
          enum: [...new Set(rows.map((one) => one['component_class'] ?? ''))],
        }),
      ).toBe(row['component_class']);
      expect(exact('cars', text, 'Is the problem about STEERING?', bool)).toBe(row['component_class'] === 'STEERING');
    }
  });

  it('mmqa: genres, the film of Bob Whitewood, and where airlines fly', () => {
    const films = readCsv(readFileSync(join(folder, 'sembench-mmqa', 'lizzy_caplan_text_data.csv'), 'utf8'));
    const girls = films.find((row) => row['title'] === 'Mean Girls')!;
    expect(exact('mmqa', girls['text'] ?? '', 'Is it a comedy?', bool)).toBe(true);
    expect(exact('mmqa', girls['text'] ?? '', 'Is it a horror film?', bool)).toBe(false);
    expect(
      exact('mmqa', girls['text'] ?? '', 'List the genres.', { type: 'array', items: { type: 'string' } }),
    ).toEqual(['comedy']);
    const texts = readCsv(readFileSync(join(folder, 'sembench-mmqa', 'ben_piazza_text_data.csv'), 'utf8'));
    const bears = texts.find((row) => row['title'] === 'The Bad News Bears')!;
    expect(exact('mmqa', bears['text'] ?? '', 'Who directed it?', { type: 'string' })).toBe('Michael Ritchie');
    expect(exact('mmqa', '\nEdelweiss Air\n', 'Does it fly to Europe?', bool)).toBe(true);
    expect(exact('mmqa', '\nEdelweiss Air\n', 'Does it fly to Germany?', bool)).toBe(false);
  });

  it('wildlife: animals by path', () => {
    const rows = readCsv(readFileSync(join(folder, 'sembench-wildlife-meta', 'image_data.csv'), 'utf8'));
    const zebra = rows.find((row) => row['Species'] === 'IMPALA, ZEBRA')!;
    const path = `"${zebra['ImagePath'] ?? ''}"`;
    expect(exact('wildlife', path, 'Is there a zebra?', bool)).toBe(true);
    expect(exact('wildlife', path, 'Is there an elephant?', bool)).toBe(false);
    expect(exact('wildlife', path, 'Which species?', { type: 'array', items: { type: 'string' } })).toEqual([
      'impala',
      'zebra',
    ]);
  });

  it('fashion: pictures are known by their bytes', () => {
    const truth = new Truth(data['fashion']!);
    const known = data['fashion']!.tuples.filter(({ media }) => truth.byMedia(media?.[0] ?? '') !== undefined);
    expect(known.length).toBe(1000);
    const [first] = data['fashion']!.tuples;
    expect(
      exact('fashion', first?.values[0] ?? '', 'Main colour?', { type: 'string', enum: ['Blue', 'Red', 'Green'] }),
    ).toBe('Blue');
  });
});
