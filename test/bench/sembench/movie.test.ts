import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../cli/demo/csv-reader.js';
import { type Gold, qualityOf } from '../../../bench/sembench/gold.js';
import { resultOf } from './gold-result.js';
import { reviewsOf } from '../../../bench/sembench/movie/reviews.js';
import { movie } from '../../../bench/sembench/movie/scenario.js';
import { csvOf, dataFolder, type Loaded } from '../../../bench/sembench/scenario.js';

const folder = process.env['FERMATA_DATA'] ?? '';
const there = existsSync(join(folder, 'sembench-movie', 'Reviews.csv'));

describe.skipIf(!there)('Movie as it is (skipped without FERMATA_DATA)', () => {
  const nothing: Loaded = { queries: [], tables: {}, truth: { tuples: [], tasks: [] }, skipped: [] };
  const { queries, tables, truth } = there ? movie.load(folder, 2000) : nothing;

  it('has ten queries, whose gold scores 1', () => {
    expect(queries.map(({ id }) => id)).toEqual(Array.from({ length: 10 }, (_, at) => `Q${at + 1}`));
    for (const { id, gold } of queries) expect([id, qualityOf(resultOf(gold), gold)]).toEqual([id, 1]);
  });

  it('has the gold that SemBench published: 14 of 120, 4,036 pairs alike and 4,092 not', () => {
    const goldOf = (id: string) => queries.find((query) => query.id === id)?.gold;
    expect(goldOf('Q3')).toMatchObject({ value: 14 });
    expect(goldOf('Q4')).toMatchObject({ value: 14 / 120 });
    expect(goldOf('Q8')).toMatchObject({ counts: { positive: 14, negative: 106 } });
    const pairs = (id: string) => (goldOf(id) as Extract<Gold, { readonly metric: 'f1' }>).items;
    expect([pairs('Q5').length, pairs('Q6').length, pairs('Q7').length]).toEqual([4036, 4092, 4092]);
  });

  it('shows systems no label', () => {
    const [header] = csvOf(tables['reviews']!).split('\n');
    expect(header).toBe('id,reviewId,reviewText');
    expect(truth.tuples).toHaveLength(2000);
  });
});

describe.skipIf(!there)('larger tables (skipped without FERMATA_DATA)', () => {
  it('keep the real rows first, and are made of texts of which 99 of 100 are distinct, each with its flag', () => {
    const source = there ? readCsv(readFileSync(join(folder, 'sembench-movie', 'Reviews.csv'), 'utf8')) : [];
    const rows = reviewsOf(source, 20_000);
    expect(rows).toHaveLength(20_000);
    expect(rows.slice(0, source.length)).toEqual(source);
    const made = rows.slice(source.length);
    expect(new Set(made.map(({ reviewText }) => reviewText)).size).toBe(made.length);
    expect(new Set(made.map(({ reviewId }) => reviewId)).size).toBe(made.length);
    expect(new Set(rows.map(({ reviewText }) => reviewText)).size).toBeGreaterThanOrEqual(0.99 * rows.length);
    const flags = new Map(source.map(({ reviewText, scoreSentiment }) => [reviewText ?? '', scoreSentiment]));
    for (const { reviewText = '', scoreSentiment } of made.slice(0, 500)) {
      const heads = [...flags.keys()].filter((text) => reviewText.startsWith(`${text} `));
      const tails = heads.map((head) => flags.get(reviewText.slice(head.length + 1)));
      expect(heads.map((head) => flags.get(head))).toContain(scoreSentiment);
      expect(tails).toContain(scoreSentiment);
    }
  });
});

describe('the data folder', () => {
  it('that is not named, or lacks a file, is an error that says where the data comes from', () => {
    const before = process.env['FERMATA_DATA'];
    try {
      delete process.env['FERMATA_DATA'];
      expect(() => dataFolder(movie)).toThrow(
        expect.objectContaining({ code: 'BadArgument', hint: expect.stringContaining('SemBench/SemBench') as string }),
      );
      process.env['FERMATA_DATA'] = '/nowhere';
      expect(() => dataFolder(movie)).toThrow('/nowhere/sembench-movie/Reviews.csv');
    } finally {
      if (before === undefined) delete process.env['FERMATA_DATA'];
      else process.env['FERMATA_DATA'] = before;
    }
  });
});
