import { describe, expect, it } from 'vitest';
import type { Entry, Measured, Use } from '../../../bench/sembench/record.js';
import { compare, comparisonRows, entryRow, utility } from '../../../bench/sembench/summary.js';

const use = (usd: number, callSeconds: number): Use => ({
  calls: 10,
  inputTokens: 100,
  outputTokens: 10,
  usd,
  callSeconds,
  seconds: 1,
  fullSeconds: 2,
  maxInFlight: 1,
});

const entry = (system: string, quality: number, own: Use, search?: Use, query = 'Q1'): Measured => ({
  ...{ scenario: 'movie', query, system, seed: 1, manifest: 'm' },
  ...{ status: 'ok', metric: 'f1', quality, rows: 5, use: own, load: 0 },
  ...(search === undefined ? {} : { search }),
});

const contest = { system: 'routed', preset: 'balanced', singles: ['direct', 'direct-nano'] } as const;

describe('utility', () => {
  const weights = { quality: 1, latency: 0.4, cost: 0.3 };
  it('takes off both weights for the reference itself, and nothing for what costs nothing', () => {
    expect(utility(weights, 0.9, use(1, 60), use(1, 60))).toBeCloseTo(0.2);
    expect(utility(weights, 0.9, use(0, 0), use(1, 60))).toBe(0.9);
  });

  it('is logarithmic: ln(1 + 3) / ln(1 + 15) of the latency is a half', () => {
    expect(utility({ quality: 1, latency: 1, cost: 0 }, 1, use(0, 3), use(1, 15))).toBeCloseTo(0.5);
  });
});

describe('the comparison', () => {
  const direct = entry('direct', 0.9, use(1, 60));
  const nano = entry('direct-nano', 0.8, use(0.04, 10));

  it('is with the best of the single backends, with and without the search', () => {
    const [found] = compare([direct, nano, entry('routed', 0.8, use(0, 0), use(1, 60))], contest);
    expect(found).toMatchObject({ query: 'Q1', best: 'direct-nano', utility: 0.8 });
    expect(found?.bestUtility).toBeCloseTo(utility({ quality: 1, latency: 0.4, cost: 0.3 }, 0.8, nano.use, direct.use));
    // the search costs what the direct run does
    expect(found?.utilityWithSearch).toBeCloseTo(0.1);
    expect(comparisonRows([found!])[0]).toMatchObject({ beats: true, 'with search': false });
  });

  it('that ties does not beat', () => {
    const [found] = compare([direct, nano, entry('routed', 0.8, nano.use)], contest);
    expect(comparisonRows([found!])[0]).toMatchObject({ beats: false });
  });

  it('leaves out queries that lack a side, and other systems from the singles', () => {
    const failed: Entry = {
      scenario: 'movie',
      query: 'Q2',
      system: 'routed',
      seed: 1,
      manifest: 'm',
      status: 'failed',
      why: 'x',
    };
    expect(compare([direct, failed, entry('direct', 1, use(1, 1), undefined, 'Q2')], contest)).toEqual([]);
    const [found] = compare([direct, entry('batched', 1, use(0, 0)), entry('routed', 0.1, use(1, 60))], contest);
    expect(found?.best).toBe('direct');
  });
});

describe('a row', () => {
  it('of what was not measured says why', () => {
    const row = { scenario: 'movie', query: 'Q9', system: 'cascade', seed: 1, manifest: 'm' };
    expect(entryRow({ ...row, status: 'refused', why: 'score has no cascade' })).toEqual({
      query: 'Q9',
      system: 'cascade',
      note: 'refused: score has no cascade',
    });
  });
});
