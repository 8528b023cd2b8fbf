import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { embedAll, type EmbedContext } from '../../../activities/inference/embed-all.js';
import { prepareMedia } from '../../../activities/inference/prepare-media.js';
import { type Prompt, renderInput } from '../../../activities/inference/prompts.js';
import type { VectorMaker } from '../../../activities/inference/specialists.js';
import type { Ledger, Model, SpendLimits } from '../../../activities/ports.js';
import { CallError } from '../../../plans/protocol/call-errors.js';
import { openLmdbLedger } from '../../../workers/runtime/ledger/lmdb.js';
import { LocalObjectStore } from '../../../workers/runtime/objects/local.js';
import { call } from '../../support/relations.js';

let dir: string;
let ledger: Ledger;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-embed-'));
  ledger = openLmdbLedger({ dir: join(dir, 'ledger') });
});
afterEach(async () => {
  await ledger.close();
  await rm(dir, { recursive: true, force: true });
});

const embedCall = { ...call('c0', ['text'], { kind: 'vector' }), parameters: { kind: 'embed' } as const };
const model: Model = {
  name: 'vectors',
  identity: 'vectors',
  modalities: ['text'],
  limits: { concurrency: 1 },
  price: { unit: 'tokens', inputPerMTok: 1e6, outputPerMTok: 0 },
  embedder: { dimensions: 2, embed: () => Promise.reject(new Error('unused')) },
};
const promptsOf = (texts: readonly string[]): readonly Prompt[] =>
  texts.map((text, at) => renderInput(embedCall, { in: at, n: 1, values: [text] }, model));

/** One token a text. */
async function embed(
  texts: readonly string[],
  vectors: (texts: readonly string[]) => readonly number[][],
  more: { limits?: SpendLimits; again?: boolean } = {},
) {
  const asked: string[][] = [];
  const make: VectorMaker = (requests) => {
    const group = requests.map(({ content: [part] }) => (part?.type === 'text' ? part.text : ''));
    asked.push(group);
    try {
      const made = vectors(group).map((vector) => Float32Array.from(vector));
      return Promise.resolve({ vectors: made, usage: { inputTokens: group.length, outputTokens: 0 } });
    } catch (error) {
      return Promise.reject(error instanceof Error ? error : new Error(String(error)));
    }
  };
  const prompts = promptsOf(texts);
  const context: EmbedContext = {
    ledger,
    gate: { enter: () => Promise.resolve(() => undefined), pause: () => undefined },
    clock: { now: () => 0 },
    model,
    vectors: make,
    call: embedCall,
    reservation: { runId: 'q-1', holder: '0/c0/0' },
    limits: {},
    stop: new AbortController().signal,
    again: false,
    store: new LocalObjectStore({ kind: 'local', dir: join(dir, 'store') }),
    onAnswer: () => undefined,
    ...more,
  };
  const found = await ledger.lookup(prompts.map(({ key }) => key));
  const outcomes = await embedAll(prompts, found, context);
  return { outcomes, asked, spend: await ledger.spend('q-1'), stored: await ledger.lookup(prompts.map((p) => p.key)) };
}

const lengths = (texts: readonly string[]): number[][] => texts.map((text) => [text.length, 0.1]);

test('one call for all, an answer in the ledger for each, the price shared out', async () => {
  const { outcomes, asked, spend, stored } = await embed(['a', 'bbb', 'a'], lengths);
  expect(asked).toEqual([['a', 'bbb']]);
  expect(stored.map((answer) => Float32Array.from(answer?.value as number[]))).toEqual(
    [1, 3, 1].map((length) => Float32Array.of(length, 0.1)),
  );
  expect(JSON.stringify(stored[0]?.value).length).toBeLessThan(20);
  expect(outcomes.map(({ state }) => state)).toEqual(['ok', 'ok', 'ok']);
  expect(spend).toMatchObject({ calls: 1, inputTokens: 2, usd: 2 });
  expect((stored[0]?.usd ?? 0) + (stored[1]?.usd ?? 0)).toBeCloseTo(2, 12);
  expect(stored[1]?.usd).toBeGreaterThan(stored[0]?.usd ?? 9);
  expect((await embed(['bbb', 'a'], lengths)).asked).toEqual([]);
});

test('what one call cannot hold goes in several', async () => {
  const { asked } = await embed(
    Array.from({ length: 450 }, (_, at) => `text ${at}`),
    lengths,
  );
  expect(asked.map(({ length }) => length)).toEqual([200, 200, 50]);
  const long = ['x', 'y', 'z'].map((letter) => letter.repeat(90_000));
  expect((await embed(long, lengths)).asked.map(({ length }) => length)).toEqual([2, 1]);
});

describe('a call that fails', () => {
  test('for one of its inputs, is made without it', async () => {
    const texts = Array.from({ length: 9 }, (_, at) => (at === 4 ? 'bad' : `t${at}`));
    const { outcomes, spend } = await embed(texts, (group) => {
      if (group.includes('bad')) throw new CallError('contextTooLong', 'too long');
      return lengths(group);
    });
    expect(outcomes.map(({ state }) => state)).toEqual(texts.map((text) => (text === 'bad' ? 'error' : 'ok')));
    expect(outcomes[4]).toMatchObject({ code: 'contextTooLong' });
    expect(spend.retries).toBe(spend.calls - 1);
    expect(spend.inputTokens).toBe(8);
  });

  test.each<[string, (group: readonly string[]) => number[][]]>([
    [
      'for a while',
      () => {
        throw new CallError('rateLimited', 'slow down', { retryAfterMs: 7 });
      },
    ],
    ['with too few vectors', (group) => lengths(group.slice(1))],
    ['with a vector of nothing', (group) => group.map(() => [])],
    ['with numbers that are none', (group) => group.map(() => [NaN, 1])],
  ])('%s, is left for a later pass, whole', async (_, vectors) => {
    const { outcomes, asked, stored } = await embed(['a', 'b'], vectors);
    expect(asked).toHaveLength(1);
    expect(outcomes.map(({ state }) => state)).toEqual(['transient', 'transient']);
    expect(stored).toEqual([undefined, undefined]);
    const later = await embed(['a', 'b'], lengths, { again: true });
    expect(later.outcomes.map(({ state }) => state)).toEqual(['ok', 'ok']);
    expect(later.spend).toMatchObject({ calls: 2, retries: 1 });
  });

  test('for every other call too, ends the run', async () => {
    await expect(
      embed(['a'], () => {
        throw new CallError('auth', 'no key');
      }),
    ).rejects.toMatchObject({ code: 'auth' });
    expect(await ledger.spend('q-1')).toMatchObject({ calls: 1, usd: 0 });
  });
});

describe('limits', () => {
  test('tokens that do not do for all do for some', async () => {
    const texts = Array.from({ length: 8 }, (_, at) => `${at}`.repeat(10));
    const { outcomes, spend } = await embed(texts, lengths, { limits: { tokens: 40 } });
    const answered = outcomes.filter(({ state }) => state === 'ok').length;
    expect(answered).toBeGreaterThanOrEqual(4);
    expect(spend.inputTokens).toBe(answered);
    for (const outcome of outcomes)
      if (outcome.state === 'undecided') expect(outcome.limit ?? 'budget-tokens').toBe('budget-tokens');
  });

  test('no call allowed: nothing is asked', async () => {
    const { outcomes, asked } = await embed(['a', 'b'], lengths, { limits: { calls: 0 } });
    expect(asked).toEqual([]);
    expect(outcomes).toContainEqual({ state: 'undecided', limit: 'budget-calls' });
  });

  test('told to stop, it asks nothing', async () => {
    const stop = AbortSignal.abort();
    const prompts = promptsOf(['a']);
    const enter = () => Promise.reject(new Error('aborted'));
    const context = { stop, gate: { enter, pause: () => undefined } } as unknown as EmbedContext;
    expect(await embedAll(prompts, [undefined], { ...context, model })).toEqual([{ state: 'undecided' }]);
  });
});

describe('media of a language model', () => {
  const seeing = { ...model, language: { complete: () => Promise.reject(new Error('unused')) } };
  const ref = (letter: string): string => `object:image/png:${letter.repeat(64)}`;
  const pictured = {
    ...call('f0', ['pic', 'text']),
    inputs: [
      { sql: 'pic', label: 'pic', modality: 'image' as const },
      { sql: 'text', label: 'text', modality: 'text' as const },
    ],
  };
  const image = (source: { readonly hash: string }) => {
    if (source.hash.startsWith('b')) return Promise.reject(new CallError('badMedia', 'broken'));
    if (source.hash.startsWith('d')) return Promise.reject(new Error('the store is away'));
    return Promise.resolve({
      type: 'image' as const,
      mediaType: 'image/jpeg',
      hash: 'c'.repeat(64),
      width: 1,
      height: 1,
    });
  };
  const audio = () => Promise.reject(new Error('unused'));
  const row = (letter: string) => ({ in: 0, n: 1, values: [ref(letter), ref('a')] });

  test('are the prepared ones; texts stay as they are, whatever they look like', async () => {
    const [first, second] = await prepareMedia([row('a'), row('b')], pictured, seeing, { image, audio });
    expect(first?.row.values).toEqual([`object:image/jpeg:${'c'.repeat(64)}`, ref('a')]);
    expect(second).toMatchObject({ row: row('b'), problem: { code: 'badMedia' } });
  });

  test('a specialised model gets the originals', async () => {
    expect(await prepareMedia([row('b')], pictured, model, { image, audio })).toEqual([{ row: row('b') }]);
  });

  test('a store that is away is no problem of the row', async () => {
    await expect(prepareMedia([row('d')], pictured, seeing, { image, audio })).rejects.toThrow('the store is away');
  });
});
