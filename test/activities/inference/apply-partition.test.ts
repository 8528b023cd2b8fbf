import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createApplyPartition } from '../../../activities/inference/apply-partition.js';
import type { AnswerRow, Ledger, Model } from '../../../activities/ports.js';
import type { SemanticCall } from '../../../plans/operators/call.js';
import type { ApplyPartitionInput } from '../../../plans/protocol/activities.js';
import { CallError, type CallErrorCode, callErrorTable } from '../../../plans/protocol/call-errors.js';
import type { SerializedError } from '../../../plans/protocol/errors.js';
import { runObjects, type RunPlan } from '../../../plans/protocol/run-plan.js';
import { partitionCodec } from '../../../workers/runtime/arrow/partition-codec.js';
import { openLmdbLedger } from '../../../workers/runtime/ledger/lmdb.js';
import { createMediaPreparer } from '../../../workers/runtime/media/prepare.js';
import { createCallGate } from '../../../workers/runtime/models/gate.js';
import { LocalObjectStore } from '../../../workers/runtime/objects/local.js';
import { call } from '../../support/relations.js';

/** Passes over one partition by the activity itself, with its real store, ledger and gate, and a model that a test scripts. */

let dir: string;
let ledger: Ledger;
let store: LocalObjectStore;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-apply-'));
  ledger = openLmdbLedger({ dir: join(dir, 'ledger') });
  store = new LocalObjectStore({ kind: 'local', dir: join(dir, 'store') });
});
afterEach(async () => {
  await ledger.close();
  await rm(dir, { recursive: true, force: true });
});

/** What a model does with a text, the nth time it is asked about it. */
type Script = (text: string, time: number) => string | CallError;
interface Scripted {
  readonly model: Partial<Model>;
  readonly asked: string[];
}

function words(script: Script): Scripted {
  const asked: string[] = [];
  const complete = (text: string) => {
    asked.push(text);
    const said = script(text, asked.filter((other) => other === text).length);
    if (typeof said !== 'string') return Promise.reject(said);
    return Promise.resolve({ text: said, usage: { inputTokens: 10, outputTokens: 1 } });
  };
  return {
    asked,
    model: {
      language: {
        // The prompt frames its value; texts stand between hashes.
        complete: ({ content: [part] }) => complete(/#(.*)#/.exec(part?.type === 'text' ? part.text : '')?.[1] ?? ''),
      },
    },
  };
}

function vectors(script: Script): Scripted {
  const asked: string[] = [];
  const embed = (texts: readonly string[]) => {
    asked.push(...texts);
    for (const text of texts) {
      const said = script(text, asked.filter((other) => other === text).length);
      if (typeof said !== 'string') return Promise.reject(said);
    }
    const made = texts.map(() => Float32Array.of(1, 0));
    return Promise.resolve({ vectors: made, usage: { inputTokens: texts.length, outputTokens: 0 } });
  };
  return { asked, model: { embedder: { dimensions: 2, embed } } };
}

const embedCall: SemanticCall = { ...call('c0', ['text'], { kind: 'vector' }), parameters: { kind: 'embed' } };
const wordsCall = call('f0', ['text']);

interface Asking {
  readonly call: SemanticCall;
  readonly model?: string;
}

/** A run of calls over partitions of texts, each asked by a model of its own or the one named. */
async function openRun(models: Readonly<Record<string, Scripted>>, calls: readonly Asking[]) {
  const plan: RunPlan = {
    v: 1,
    runId: 'q-1',
    query: { v: 1, source: { alias: 't', sql: '' }, rows: { sql: '' }, calls: [], final: { sql: '' } },
    tables: [],
    source: { object: '', rows: 0, columns: [] },
    chosen: '',
    calls: calls.map(({ call: asked, model = 'm' }) => ({
      call: asked,
      schedule: {
        id: asked.id,
        operator: asked.parameters.kind,
        role: asked.role,
        model,
        queue: 'q',
        partitionRows: 20,
        window: 1,
      },
    })),
    onError: 'null',
    maxErrorRatio: 1,
    cache: true,
  };
  const hash = await store.put(Buffer.from(JSON.stringify(plan)));
  const apply = createApplyPartition({
    store,
    ledger,
    models: {
      get: (name) =>
        Promise.resolve({
          name,
          identity: name,
          endpoint: `http://${name}.test/v1`,
          modalities: ['text'],
          limits: { concurrency: 4 },
          ...models[name]?.model,
        }),
      close: () => Promise.resolve(),
    },
    gate: createCallGate(),
    codec: partitionCodec,
    media: createMediaPreparer({ store }),
    progress: { touch: () => undefined },
    clock: { now: () => Date.now() },
    scope: () => ({ stop: new AbortController().signal, heartbeat: () => undefined }),
  });
  return {
    prepare: (id: string, texts: readonly string[], partition = 0) =>
      store.putNamed(
        runObjects.inputs('q-1', 0, id, partition),
        partitionCodec.encodeInputs(
          texts.map((text, at) => ({ in: at, n: 1, values: [id.startsWith('f') ? `#${text}#` : text] })),
          1,
        ),
      ),
    pass: (id: string, more: Partial<ApplyPartitionInput> = {}) =>
      apply({ runId: 'q-1', plan: hash, call: id, wave: 0, partition: 0, last: false, again: false, ...more }),
    async answers(id: string): Promise<readonly AnswerRow[]> {
      const bytes = await store.getNamed(runObjects.answers('q-1', 0, id, 0));
      return partitionCodec.decodeAnswers(bytes ?? new Uint8Array());
    },
  };
}

const yes = '{"answer": true}';
const later = { again: true, visited: true };
const rowCodes = Object.entries(callErrorTable).flatMap(([code, { fate }]) =>
  fate === 'row' ? [code as CallErrorCode] : [],
);

describe('a row that failed for good is not asked again while others of its partition are', () => {
  // Unusable replies have passes of their own: see ask.test.ts.
  test.each(rowCodes.filter((code) => code !== 'badOutput'))('%s', async (code) => {
    const scripted = words((text, time) =>
      text.includes('bad')
        ? new CallError(code, 'never')
        : text.includes('slow') && time < 3
          ? new CallError('serverError', 'not now')
          : yes,
    );
    const run = await openRun({ m: scripted }, [{ call: wordsCall }]);
    await run.prepare('f0', ['good', 'bad', 'slow', 'bad too']);
    expect(await run.pass('f0')).toMatchObject({ answered: 1, failed: 2, transient: 1 });
    const made = await run.answers('f0');
    expect(await run.pass('f0', later)).toMatchObject({ answered: 1, failed: 2, transient: 1 });
    expect(await run.answers('f0')).toEqual(made);
    expect(await run.pass('f0', later)).toMatchObject({ answered: 2, failed: 2, transient: 0, passed: 2 });
    expect((await run.answers('f0')).map(({ in: at, state }) => [at, state])).toEqual([
      [0, 'ok'],
      [1, 'error'],
      [2, 'ok'],
      [3, 'error'],
    ]);
    expect(scripted.asked.filter((text) => text.includes('bad'))).toHaveLength(2);
    expect(await ledger.spend('q-1')).toMatchObject({ calls: 6, answered: 2, failed: 2 });
  });

  test('also where many inputs go in one call', async () => {
    const scripted = vectors((text, time) =>
      text === 'bad'
        ? new CallError('contextTooLong', 'never')
        : text === 'slow' && time < 4
          ? new CallError('serverError', 'not now')
          : '',
    );
    const run = await openRun({ m: scripted }, [{ call: embedCall }]);
    await run.prepare('c0', ['bad', 'slow']);
    const first = await run.pass('c0');
    expect(first).toMatchObject({ failed: 1, transient: 1 });
    const times = scripted.asked.filter((text) => text === 'bad').length;
    let last = first;
    for (let pass = 0; pass < 4 && last.transient > 0; pass++) last = await run.pass('c0', later);
    expect(last).toMatchObject({ answered: 1, failed: 1, transient: 0 });
    expect(scripted.asked.filter((text) => text === 'bad')).toHaveLength(times);
  });

  test('a first pass reads nothing of an earlier attempt: it may have died half way', async () => {
    const scripted = words((_text, time) => (time === 1 ? new CallError('badRequest', 'no') : yes));
    const run = await openRun({ m: scripted }, [{ call: wordsCall }]);
    await run.prepare('f0', ['a']);
    expect(await run.pass('f0')).toMatchObject({ failed: 1 });
    expect(await run.pass('f0')).toMatchObject({ answered: 1, failed: 0 });
  });
});

describe('an endpoint that is not there', () => {
  const refused = new CallError('connection', 'no connection to the endpoint: ECONNREFUSED', { absent: true });
  const cut = new CallError('connection', 'no connection to the endpoint: ECONNRESET');
  const page = new CallError('notJson', 'the reply was a web page', { absent: true });
  const fatal = { ...later, absentIsFatal: true };
  const outcome = (made: Promise<unknown>): Promise<unknown> =>
    made.then(
      () => 'goes on',
      (error: unknown) => (error as { details: readonly [SerializedError] }).details[0],
    );

  test.each([
    ['refused', refused],
    ['a web page', page],
  ])('ends the run with its address once passes enough were made: %s', async (_what, error) => {
    const run = await openRun({ m: words(() => error) }, [{ call: wordsCall }]);
    await run.prepare('f0', ['a', 'b']);
    expect(await run.pass('f0')).toMatchObject({ transient: 2 });
    expect(await outcome(run.pass('f0', fatal))).toMatchObject({
      code: 'EndpointUnreachable',
      message: `model m was never reached at http://m.test/v1: ${error.message}`,
      hint: expect.stringMatching(/baseUrl/) as string,
      where: { operator: 'f0' },
    });
  });

  test('is waited for when it replied before, in this partition, another one, or another call', async () => {
    let away = false;
    const run = await openRun({ m: words(() => (away ? refused : yes)) }, [
      { call: wordsCall },
      { call: call('f1', ['text']) },
    ]);
    await run.prepare('f0', ['a', 'b']);
    await run.prepare('f0', ['c'], 1);
    await run.prepare('f1', ['d']);
    await run.pass('f0');
    away = true;
    expect(await run.pass('f0', { ...fatal, partition: 1 })).toMatchObject({ transient: 1 });
    expect(await run.pass('f1', fatal)).toMatchObject({ transient: 1 });
  });

  test('replies of another model say nothing about it', async () => {
    const run = await openRun({ m: words(() => yes), dead: words(() => refused) }, [
      { call: wordsCall },
      { call: call('f1', ['text']), model: 'dead' },
    ]);
    await run.prepare('f0', ['a']);
    await run.prepare('f1', ['b']);
    await run.pass('f0');
    expect(await outcome(run.pass('f1', fatal))).toMatchObject({ code: 'EndpointUnreachable' });
  });

  test.each([
    ['a connection that is cut', [cut, cut]],
    ['one refusal among other faults', [refused, new CallError('serverError', 'busy')]],
    ['a reply beside a refusal', [refused, yes]],
    ['a rate limit', [new CallError('rateLimited', 'slow down'), refused]],
  ])('is not what this is: %s', async (_what, replies) => {
    const script: Script = (text) => replies[text.includes('a') ? 0 : 1] ?? yes;
    const run = await openRun({ m: words(script) }, [{ call: wordsCall }]);
    await run.prepare('f0', ['a', 'b']);
    expect(await outcome(run.pass('f0', fatal))).toBe('goes on');
  });
});

describe('Retry-After', () => {
  test('is counted from the reply that said so, not from the end of the pass', async () => {
    const limited = new CallError('rateLimited', 'slow down', { retryAfterMs: 300 });
    const { model, asked } = words((text) => (text === 'a' ? limited : yes));
    const run = await openRun({ m: { model: { ...model, limits: { concurrency: 1 } }, asked } }, [{ call: wordsCall }]);
    await run.prepare('f0', ['a', 'b']);
    const pass = await run.pass('f0');
    // The second call waited in the lane until the time was over, so that none is left after the pass.
    expect(pass).toMatchObject({ answered: 1, transient: 1 });
    expect(pass.retryAfterMs ?? 0).toBeLessThan(50);
  });

  test('what is left of it is told when the pass is over before', async () => {
    const limited = new CallError('rateLimited', 'slow down', { retryAfterMs: 60_000 });
    const run = await openRun({ m: words((text) => (text.includes('a') ? limited : yes)) }, [{ call: wordsCall }]);
    await run.prepare('f0', ['a', 'b']);
    const { retryAfterMs = 0, answered } = await run.pass('f0');
    expect(answered).toBe(1);
    expect(retryAfterMs).toBeGreaterThan(50_000);
    expect(retryAfterMs).toBeLessThanOrEqual(60_000);
  });

  test('holds up that model alone: calls in flight end, other models go on', async () => {
    const limited = new CallError('rateLimited', 'slow down', { retryAfterMs: 3_600_000 });
    const run = await openRun({ m: words((text) => (text.includes('a') ? limited : yes)), other: words(() => yes) }, [
      { call: wordsCall },
      { call: call('f1', ['text']), model: 'other' },
    ]);
    await run.prepare('f0', ['a', 'b', 'c', 'd']);
    await run.prepare('f1', ['e', 'f']);
    expect(await run.pass('f0')).toMatchObject({ answered: 3, transient: 1 });
    expect(await run.pass('f1')).toMatchObject({ answered: 2 });
  });
});
