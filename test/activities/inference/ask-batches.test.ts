import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askBatches, findBatched } from '../../../activities/inference/ask-batches.js';
import type { Outcome } from '../../../activities/inference/outcome.js';
import { renderInput } from '../../../activities/inference/prompts.js';
import type { Ledger, Model, ModelReply, ModelRequest, SpendLimits } from '../../../activities/ports.js';
import type { JsonValue } from '../../../plans/protocol/json.js';
import { CallError, type CallErrorCode } from '../../../plans/protocol/call-errors.js';
import { openLmdbLedger } from '../../../workers/runtime/ledger/lmdb.js';
import { batchReply, type Item, itemsIn } from '../../support/batches.js';
import { call } from '../../support/relations.js';

let dir: string;
let ledger: Ledger;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-batches-'));
  ledger = openLmdbLedger({ dir });
});
afterEach(async () => {
  await ledger.close();
  await rm(dir, { recursive: true, force: true });
});

const filter = call('f0', ['text']);
const truth = (text: string): boolean => Number(/\d+/.exec(text)) % 3 === 0;
const honest = (items: readonly Item[]): string => batchReply(items.map(({ id, text }) => [id, truth(text)]));
const rowsOf = (count: number, from = 0) =>
  Array.from({ length: count }, (_, at) => ({ in: at, n: 1, values: [`row ${from + at}`] }));

interface Script {
  /** The reply to a batch, by default the truth; the number counts batches from 1. */
  readonly batch?: (items: readonly Item[], number: number) => string;
  /** The reply to a tuple that is asked by itself. */
  readonly single?: (prompt: string) => string;
  readonly limits?: SpendLimits;
  readonly size?: number;
  readonly contextTokens?: number;
  readonly runId?: string;
  readonly passes?: number;
}

/** Passes over the rows of one partition, as the workflow makes them, on a scripted model. */
async function passes(rows: ReturnType<typeof rowsOf>, script: Script = {}) {
  const batches: (readonly string[])[] = [];
  const singles: string[] = [];
  const model: Model & { language: { complete(request: ModelRequest): Promise<ModelReply> } } = {
    name: 'scripted',
    identity: 'scripted',
    modalities: ['text'],
    limits: { concurrency: 4 },
    price: { unit: 'tokens', inputPerMTok: 1e6, outputPerMTok: 1e6 },
    ...(script.contextTokens === undefined ? {} : { contextTokens: script.contextTokens }),
    language: {
      complete: ({ content }) => {
        const prompt = content.map((part) => (part.type === 'text' ? part.text : '')).join('');
        const items = itemsIn(prompt);
        if (items.length > 0) batches.push(items.map(({ text }) => text));
        else singles.push(prompt);
        const reply =
          items.length > 0
            ? (script.batch ?? honest)(items, batches.length)
            : (script.single ?? ((text) => `{"answer": ${truth(text)}}`))(prompt);
        return Promise.resolve({ text: reply, usage: { inputTokens: 90, outputTokens: 10 } });
      },
    },
  };
  const schedule = { kind: 'batched', size: script.size ?? 10 } as const;
  const prompts = rows.map((row) => renderInput(filter, row, model));
  let outcomes: readonly Outcome[] = [];
  for (let pass = 0; pass < (script.passes ?? 8); pass += 1) {
    outcomes = await askBatches(prompts, await findBatched(ledger, prompts, schedule), {
      ledger,
      gate: { enter: () => Promise.resolve(() => undefined), pause: () => undefined },
      clock: { now: () => 0 },
      model,
      call: filter,
      reservation: { runId: script.runId ?? 'q-1', holder: '0/f0/0' },
      limits: script.limits ?? {},
      stop: new AbortController().signal,
      again: pass > 0,
      schedule,
      onAnswer: () => undefined,
    });
    if (outcomes.every(({ state }) => state !== 'transient')) break;
  }
  const values = outcomes.map((outcome) => (outcome.state === 'ok' ? outcome.answer.value : outcome.state));
  return { outcomes, values, batches, singles, spend: await ledger.spend(script.runId ?? 'q-1') };
}

const truths = (rows: ReturnType<typeof rowsOf>): readonly JsonValue[] =>
  rows.map(({ values }) => truth(values[0] ?? ''));
const rows = rowsOf(30);

test('one call a batch; each answer is kept by itself with its share of the price', async () => {
  const { values, batches, spend, outcomes } = await passes(rows);
  expect(values).toEqual(truths(rows));
  expect(batches.map(({ length }) => length)).toEqual([10, 10, 10]);
  expect(spend).toMatchObject({ calls: 3, retries: 0, inputTokens: 270, outputTokens: 30, usd: 300 });
  const usd = outcomes.reduce((sum, outcome) => sum + (outcome.state === 'ok' ? outcome.answer.usd : 0), 0);
  expect(usd).toBeCloseTo(300);
});

describe('what is paid for is found', () => {
  test('by a rerun, whatever else is asked with it', async () => {
    await passes(rows);
    const other = [...rowsOf(5, 100), ...rows.toReversed(), ...rowsOf(5, 200)].map((row, at) => ({ ...row, in: at }));
    const again = await passes(other, { runId: 'q-2' });
    expect(again.values).toEqual(truths(other));
    expect(again.batches.flat().toSorted()).toEqual(
      [...rowsOf(5, 100), ...rowsOf(5, 200)].map(({ values }) => values[0]),
    );
    expect(again.spend).toMatchObject({ calls: 1 });
  });
  test('by the next pass after a batch that failed, which asks only for that batch', async () => {
    const failing = (items: readonly Item[], number: number): string => {
      if (number === 2) throw new CallError('rateLimited', 'too many requests', { retryAfterMs: 1 });
      return honest(items);
    };
    const { values, batches, spend } = await passes(rows, { batch: failing });
    expect(values).toEqual(truths(rows));
    expect(batches.map(({ length }) => length)).toEqual([10, 10, 10, 5, 5]);
    expect(batches.slice(3).flat()).toEqual(batches[1]);
    expect(spend).toMatchObject({ calls: 5, retries: 2 });
  });
  test('by a batched run that direct answers came before; batches of another size are another question', async () => {
    await passes(rowsOf(1));
    expect((await passes(rows, { runId: 'q-2' })).batches.flat()).not.toContain('row 0');
    expect((await passes(rows, { runId: 'q-3', size: 15 })).batches.flat()).toHaveLength(29);
  });
});

describe('a reply that is not whole: its tuples are asked again, and they alone', () => {
  const one = rowsOf(10);
  const spoilt: readonly [string, (items: readonly Item[]) => string][] = [
    ['leaves one out', (items) => honest(items.slice(1))],
    ['has one twice', (items) => honest(items).replace('{"answer":{', `{"answer":{"${items[0]?.id ?? ''}":true,`)],
    ['has one as null', (items) => batchReply(items.map(({ id, text }, at) => [id, at === 0 ? null : truth(text)]))],
    [
      'has one that is no verdict',
      (items) => batchReply(items.map(({ id, text }, at) => [id, at === 0 ? 'who knows' : truth(text)])),
    ],
    ['mistypes an id', (items) => batchReply(items.map(({ id, text }, at) => [at === 0 ? `${id}s` : id, truth(text)]))],
    [
      'adds strange ids',
      (items) =>
        batchReply([
          ['1', true],
          ['zzzz', false],
          ...items.slice(1).map(({ id, text }): [string, JsonValue] => [id, truth(text)]),
        ]),
    ],
  ];
  test.each(spoilt)('%s', async (_, spoil) => {
    const { values, batches, singles, spend } = await passes(one, { batch: spoil });
    expect(values).toEqual(truths(one));
    expect(batches).toHaveLength(1);
    expect(singles).toEqual([expect.stringContaining('row 0')]);
    expect(spend).toMatchObject({ calls: 2, retries: 1 });
  });

  test('several: in one smaller batch, then singly', async () => {
    const lazy = (items: readonly Item[]): string => honest(items.slice(0, items.length - 4));
    const { values, batches, singles } = await passes(one, { batch: lazy });
    expect(values).toEqual(truths(one));
    expect(batches.map(({ length }) => length)).toEqual([10, 4]);
    expect(singles).toHaveLength(4);
  });

  test.each(['lorem }{ ipsum', '{"answer": true}', '{"answer": {"1": true, "2": true}}'])(
    'garbage for each batch (%s): halves, then singly',
    async (garbage) => {
      const { values, batches, singles, spend } = await passes(one, { batch: () => garbage });
      expect(values).toEqual(truths(one));
      expect(batches.map(({ length }) => length)).toEqual([10, 5, 5]);
      expect([singles.length, spend.calls, spend.retries]).toEqual([10, 13, 12]);
    },
  );

  test('garbage for everything: every tuple is an error of its own, and the calls have an end', async () => {
    const { outcomes, spend } = await passes(one, { batch: () => 'lorem', single: () => 'ipsum' });
    expect(outcomes.every(({ state }) => state === 'error')).toBe(true);
    // The second pass begins with batches half as large.
    expect(spend.calls).toBe(3 + 10 * 2 + (2 + 4) + 10 * 2);
  });

  test('answers turned upside down go to their own tuples', async () => {
    const { values, singles } = await passes(rows, { batch: (items) => honest(items.toReversed()) });
    expect([values, singles]).toEqual([truths(rows), []]);
  });
});

describe('a batch that is refused as such', () => {
  test.each<CallErrorCode>(['contextTooLong', 'truncated', 'badRequest', 'contentFilter'])(
    '%s: is made in halves until it is taken',
    async (code) => {
      const refuse = (items: readonly Item[]): string => {
        if (items.length > 3) throw new CallError(code, 'no');
        return honest(items);
      };
      const { values, batches, singles } = await passes(rowsOf(10), { batch: refuse });
      expect(values).toEqual(truths(rowsOf(10)));
      expect(batches.map(({ length }) => length)).toEqual([10, 5, 3, 2, 5, 3, 2]);
      expect(singles).toEqual([]);
    },
  );
  test('one tuple that the endpoint will not hear fails alone', async () => {
    const poison = (text: string): void => {
      if (text.includes('row 7')) throw new CallError('contentFilter', 'refused');
    };
    const { values, spend } = await passes(rowsOf(10), {
      batch: (items) => {
        for (const { text } of items) poison(text);
        return honest(items);
      },
      single: (prompt) => {
        poison(prompt);
        return `{"answer": ${truth(prompt)}}`;
      },
    });
    expect(values).toEqual(truths(rowsOf(10)).map((value, at) => (at === 7 ? 'error' : value)));
    expect(spend.calls).toBeLessThan(10);
  });
  test('a fault of the account ends everything', async () => {
    const broke = (): string => {
      throw new CallError('auth', 'no quota');
    };
    await expect(passes(rows, { batch: broke })).rejects.toThrow('no quota');
  });
  test('an endpoint that is down: the rows wait for the next pass, none is lost', async () => {
    const { values, batches } = await passes(rows, {
      batch: (items, number) => {
        if (number < 12) throw new CallError('serverError', 'down');
        return honest(items);
      },
    });
    expect(values).toEqual(truths(rows));
    expect(batches.length).toBeGreaterThan(12);
  });
});

describe('limits', () => {
  test('calls: no call is made beyond the limit, and what was answered stays', async () => {
    const { outcomes, batches, spend } = await passes(rows, { limits: { calls: 2 }, passes: 1 });
    expect([batches.length, spend.calls]).toEqual([2, 2]);
    expect(outcomes.filter(({ state }) => state === 'ok')).toHaveLength(20);
    expect(outcomes.filter(({ state }) => state === 'undecided')).toHaveLength(10);
    expect(outcomes).toContainEqual({ state: 'undecided', limit: 'budget-calls' });
  });
  test('tokens: a batch that the rest has no room for is made smaller', async () => {
    const { batches, spend } = await passes(rowsOf(40), { size: 40, limits: { tokens: 2000 }, passes: 1 });
    expect(batches.length).toBeGreaterThan(0);
    expect(spend.inputTokens + spend.outputTokens).toBeLessThanOrEqual(2000);
    expect(batches.every(({ length }) => length < 40)).toBe(true);
  });
  test('a small context: batches are as large as it allows', async () => {
    const { values, batches } = await passes(rows, { size: 30, contextTokens: 700 });
    expect(values).toEqual(truths(rows));
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.length).toBeLessThan(10);
  });
});
