import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type AskContext, ask } from '../../../activities/inference/ask.js';
import type { Outcome } from '../../../activities/inference/outcome.js';
import type { Ledger, ModelRequest } from '../../../activities/ports.js';
import { CallError } from '../../../plans/protocol/call-errors.js';
import { openLmdbLedger } from '../../../workers/runtime/ledger/lmdb.js';
import { call } from '../../support/relations.js';

const good = '{"answer": true}';
const bad = 'lorem }{ ipsum';
/** Valid JSON that is not what was asked for. */
const offSchema = '{"answer": "perhaps"}';
const empty = new CallError('emptyReply', 'the reply was empty');
const page = new CallError('notJson', 'the reply was a web page');
const key = 'a'.repeat(64);
const reservation = { runId: 'q-1', holder: '0/f0/0' };
const request: ModelRequest = {
  system: '',
  content: [{ type: 'text', text: 'good?' }],
  output: { kind: 'boolean' },
  maxOutputTokens: 8,
  temperature: 0,
  confidence: false,
};

let dir: string;
let ledger: Ledger;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-ask-'));
  ledger = openLmdbLedger({ dir });
});
afterEach(async () => {
  await ledger.close();
  await rm(dir, { recursive: true, force: true });
});

/** Passes over one input, as the workflow makes them, with a model that replies by script. */
async function passes(script: readonly (string | CallError)[], deterministic = false, temperature = 0) {
  const asked: ModelRequest[] = [];
  const context: AskContext = {
    ledger,
    gate: { enter: () => Promise.resolve(() => undefined), pause: () => undefined },
    clock: { now: () => 0 },
    model: {
      name: 'scripted',
      identity: 'scripted',
      modalities: ['text'],
      limits: { concurrency: 1 },
      ...(deterministic ? { deterministic } : {}),
      language: {
        complete(got) {
          const reply = script[asked.length];
          asked.push(got);
          if (reply === undefined) throw new Error('asked too often');
          if (typeof reply !== 'string') return Promise.reject(reply);
          return Promise.resolve({ text: reply, usage: { inputTokens: 10, outputTokens: 1 } });
        },
      },
    },
    call: call('f0', ['text']),
    reservation,
    limits: {},
    stop: new AbortController().signal,
    again: false,
  };
  let last: Outcome;
  let again = false;
  do {
    last = await ask({ ...request, temperature }, key, { ...context, again });
    again = true;
  } while (last.state === 'transient');
  const spend = await ledger.spend(reservation.runId);
  return { outcome: last, asked, spend };
}

describe('a row whose reply is garbage', () => {
  test.each([
    ['the first reply', [bad, good]],
    ['the reply to the repair too', [bad, bad, good]],
    ['the first reply of the second pass too', [bad, bad, bad, good]],
    ['an off-schema reply and garbage', [offSchema, bad, good]],
    ['garbage, then an empty reply', [bad, empty, good]],
    ['a web page, then garbage', [page, bad, good]],
    ['a web page in each pass but the last', [page, page, page, good]],
  ])('%s: it gets its answer', async (_, script) => {
    const { outcome, asked, spend } = await passes(script);
    expect(outcome).toMatchObject({ state: 'ok', answer: { value: true } });
    expect(asked).toHaveLength(script.length);
    expect(spend).toMatchObject({ calls: script.length, retries: script.length - 1 });
    expect((await ledger.lookup([key]))[0]).toMatchObject({ value: true });
  });

  test.each([
    ['garbage', bad],
    ['JSON that breaks the schema', offSchema],
  ])('%s each time: it fails after two calls more, and is paid for', async (_, reply) => {
    const { outcome, asked, spend } = await passes([reply, reply, reply, reply]);
    expect(outcome).toMatchObject({ state: 'error', code: 'badOutput' });
    expect(asked.map(({ repair }) => repair !== undefined)).toEqual([false, true, false, true]);
    expect(spend).toMatchObject({ calls: 4, retries: 3, inputTokens: 40 });
    expect(await ledger.lookup([key])).toEqual([undefined]);
  });

  test('a later pass asks the question itself, not the repair of a reply that is gone', async () => {
    const { asked } = await passes([bad, bad, good]);
    expect(asked[1]?.repair).toMatchObject({ reply: bad });
    expect(asked[2]).toEqual(asked[0]);
  });
});

describe('a model that repeats itself', () => {
  test('is not asked the same again', async () => {
    const { outcome, asked } = await passes([offSchema, offSchema], true);
    expect(outcome).toMatchObject({ state: 'error', code: 'badOutput' });
    expect(asked).toHaveLength(2);
  });
  test('is asked again when the request lets it vary', async () => {
    const { outcome } = await passes([offSchema, offSchema, good], true, 0.7);
    expect(outcome.state).toBe('ok');
  });
});
