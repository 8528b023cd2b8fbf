import { describe, expect, it } from 'vitest';
import { parseJson } from '../../../plans/protocol/json.js';
import type { JsonValue } from '../../../plans/protocol/json.js';
import { emptyHistory, historyVersion, readHistory, recordTrial } from '../../../plans/tuning/history.js';
import type { TrialHistory } from '../../../plans/tuning/history.js';

const json = (value: unknown): JsonValue => {
  const parsed = parseJson(JSON.stringify(value));
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.value;
};

const history: TrialHistory = [
  {
    id: 'a',
    configuration: { p: 0.5, route: [0.5, 0.5] },
    status: 'done' as const,
    metrics: { quality: 0.7 },
    priceUsd: 0,
  },
  { id: 'b', configuration: { p: 0.1, route: [1, 0] }, status: 'failed' as const, failure: 'timeout' },
].reduce(recordTrial, emptyHistory(7, 50));

describe('trial history', () => {
  it('comes back from JSON as it was', () => {
    expect(readHistory(json(history))).toEqual(history);
  });

  it('replaces a trial in its place', () => {
    const changed = recordTrial(history, { id: 'a', configuration: { p: 0.5 }, status: 'abandoned' });
    expect(changed.trials.map(({ id, status }) => [id, status])).toEqual([
      ['a', 'abandoned'],
      ['b', 'failed'],
    ]);
  });

  it('reads metrics that JSON could not hold as a failed trial', () => {
    const broken = recordTrial(history, { id: 'c', configuration: {}, status: 'done', metrics: { quality: NaN } });
    const [, , c] = readHistory(json(broken)).trials;
    expect(c).toMatchObject({ status: 'failed' });
    expect(c).not.toHaveProperty('metrics');
  });

  it('reads version 1', () => {
    const old = {
      version: 1,
      seed: 3,
      trials: [{ id: 'a', configuration: { p: 1 }, status: 'done', observed: { quality: 1 } }],
    };
    expect(readHistory(json(old))).toEqual({
      version: historyVersion,
      seed: 3,
      rows: 50,
      trials: [{ id: 'a', configuration: { p: 1 }, status: 'done', metrics: { quality: 1 } }],
    });
  });

  it.each([
    ['a newer version', { ...history, version: historyVersion + 1 }],
    ['no version', { seed: 1, trials: [] }],
    ['a list', []],
    ['null', null],
    ['trials that are none', { ...history, trials: [1] }],
    ['an unknown status', { ...history, trials: [{ id: 'a', configuration: {}, status: 'lost' }] }],
    ['one id twice', { ...history, trials: [history.trials[0], history.trials[0]] }],
    ['no rows', { ...history, rows: 0 }],
    ['a version 1 without trials', { version: 1, seed: 1 }],
  ])('refuses %s', (_, value) => {
    expect(() => readHistory(json(value))).toThrow(/trial history/);
  });
});
