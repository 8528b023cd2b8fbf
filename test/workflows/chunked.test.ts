import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ModelRequest } from '../../activities/ports.js';
import { promptTokens } from '../../plans/cost/index.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { type Engine, startEngine } from '../support/engine.js';

/** Runs over texts that are longer than what the model takes. */

const takes = 1500;
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({ oracle: { answer: (prompt, request) => ({ text: read(prompt, request) }) } });
}, 120_000);
afterAll(() => engine.close());

function read(prompt: string, request: ModelRequest): string {
  if (promptTokens(request) + request.maxOutputTokens > takes)
    throw new CallError('contextTooLong', 'the prompt is too long');
  const names = [...new Set(Array.from(prompt.matchAll(/fruit (\w+)/g), ([, name = '']) => name))];
  if (request.output.kind !== 'struct') return names.map((name) => `fruit ${name}`).join(' and ') || 'no fruit';
  return JSON.stringify({ answer: { first: names[0] ?? null } });
}

const story = (from: number, sentences: number): string =>
  Array.from({ length: sentences }, (_, n) =>
    n % 50 === 9 ? `He ate the fruit f${from + n}.` : 'Nothing happened.',
  ).join(' ');
const csv = `id,text\n1,${story(0, 600)}\n2,short and without any\n3,\n4,${story(1000, 400)}\n`;
const sql = "SELECT id, AI_EXTRACT(text, {first: 'Which fruit?'}) AS f, AI_SUMMARIZE(text) AS s FROM t ORDER BY id";
const chunked: StrategyRequest = { kind: 'chunked', tokens: 300 };

async function ask(strategy?: StrategyRequest) {
  const before = engine.calls.get('oracle') ?? 0;
  const run = await engine.start(sql, csv, strategy === undefined ? {} : { strategy });
  const result = await run.result();
  return {
    result,
    rows: await run.rows(),
    errors: await run.errors(),
    calls: (engine.calls.get('oracle') ?? 0) - before,
  };
}

test('without the strategy, a long text is an error of its row that names the way out', async () => {
  const { rows, errors } = await ask();
  expect(errors.map(({ row, code }) => [row, code]).toSorted()).toEqual(
    [1, 1, 4, 4].map((row) => [row, 'contextTooLong']),
  );
  expect(errors.every(({ message }) => message.endsWith('--strategy chunked reads such a text in parts'))).toBe(true);
  expect(rows[1]?.['s']).toBe('no fruit');
});

test('in parts, every row has its answer; the report counts calls, and a rerun makes none', async () => {
  const { result, rows, errors, calls } = await ask(chunked);
  expect(errors).toEqual([]);
  expect(rows.map((row) => (row['f'] as { first: string | null } | null)?.first ?? null)).toEqual([
    'f9',
    null,
    null,
    'f1009',
  ]);
  const wanted = (from: number, sentences: number) =>
    Array.from({ length: sentences / 50 }, (_, n) => `fruit f${from + 50 * n + 9}`).join(' and ');
  expect(rows.map((row) => row['s'])).toEqual([wanted(0, 600), 'no fruit', null, wanted(1000, 400)]);
  expect(result.spend).toMatchObject({ calls, failed: 0, retries: 0 });
  expect(result.operators.map(({ strategy, answered }) => [strategy, answered])).toEqual([
    ['chunked', 3],
    ['chunked', 3],
  ]);
  expect(calls).toBeGreaterThan(10);

  const again = await ask(chunked);
  expect([again.calls, again.result.spend.cached]).toEqual([0, 6]);
  expect(again.rows).toEqual(rows);
});
