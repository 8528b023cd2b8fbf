import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { askPrompts, findAnswers } from '../../../activities/inference/ask-prompts.js';
import { promptFacts } from '../../../activities/inference/prompt-facts.js';
import type { Outcome } from '../../../activities/inference/outcome.js';
import { renderInput } from '../../../activities/inference/prompts.js';
import type { Ledger, Model, ModelReply, ModelRequest, SpendLimits } from '../../../activities/ports.js';
import { estimateTokens, promptTokens } from '../../../plans/cost/index.js';
import type { SemanticCall } from '../../../plans/operators/call.js';
import { CallError } from '../../../plans/protocol/call-errors.js';
import { openLmdbLedger } from '../../../workers/runtime/ledger/lmdb.js';
import { LocalObjectStore } from '../../../workers/runtime/objects/local.js';
import { sampleCalls } from '../../plans/operators/calls.js';

let dir: string;
let ledger: Ledger;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-long-'));
  ledger = openLmdbLedger({ dir: join(dir, 'ledger') });
});
afterEach(async () => {
  await ledger.close();
  await rm(dir, { recursive: true, force: true });
});

const summary = sampleCalls['summary'] as SemanticCall;
const translation = sampleCalls['translation'] as SemanticCall;
const extract: SemanticCall = {
  ...(sampleCalls['extract'] as SemanticCall),
  output: {
    kind: 'struct',
    fields: [
      { name: 'code', type: { kind: 'integer' } },
      { name: 'fruits', type: { kind: 'list', item: { kind: 'string' } } },
    ],
  },
};

/** Sentences without anything to find, but for those that are named. */
function story(sentences: number, facts: Readonly<Record<number, string>> = {}): string {
  return Array.from(
    { length: sentences },
    (_, n) => facts[n] ?? `Nothing happened on day ${n} of the long journey.`,
  ).join(' ');
}

const partOf = (prompt: string): string =>
  /\[Part \d+ of \d+\]\n([\s\S]*?)(?:\n\n\[Just after\]|\n<\/data)/.exec(prompt)?.[1] ?? prompt;
const isJoining = ({ system }: ModelRequest): boolean => system.includes('In place of a long text');

/** Reads no more than the part that it is asked about. */
function scholar(request: ModelRequest, prompt: string): string {
  if (isJoining(request)) {
    const found = Array.from(prompt.matchAll(/\bfound ([\w, ]+)/g), ([, names = '']) => names.split(', ')).flat();
    return `found ${[...new Set(found)].join(', ')}`;
  }
  const own = partOf(prompt);
  const names = Array.from(own.matchAll(/fruit (\w+)/g), ([, name = '']) => name);
  if (request.output.kind === 'struct') {
    const code = /code (\d+)/.exec(own)?.[1];
    return JSON.stringify({ answer: { code: code === undefined ? null : Number(code), fruits: names } });
  }
  if (request.system.includes('Translate')) return own.replace(/<\/?data>/g, '').toUpperCase();
  return `found ${names.join(', ')}`;
}

interface Script {
  /** What the model really takes, in tokens as estimated; a longer prompt is refused. */
  readonly takes?: number;
  /** What is configured. */
  readonly contextTokens?: number;
  readonly tokens?: number;
  readonly limits?: SpendLimits;
  readonly runId?: string;
  readonly before?: (prompt: string, number: number) => void;
}

async function read(call: SemanticCall, texts: readonly string[], script: Script = {}) {
  const asked: { readonly prompt: string; readonly joining: boolean }[] = [];
  const complete = (request: ModelRequest): Promise<ModelReply> => {
    const prompt = request.content.map((part) => (part.type === 'text' ? part.text : '')).join('');
    asked.push({ prompt, joining: isJoining(request) });
    script.before?.(prompt, asked.length);
    if (promptTokens(request) + request.maxOutputTokens > (script.takes ?? Infinity)) {
      throw new CallError('contextTooLong', 'the prompt is too long');
    }
    return Promise.resolve({
      text: scholar(request, prompt),
      usage: { inputTokens: promptTokens(request), outputTokens: 5 },
    });
  };
  const model: Model & { language: { complete: typeof complete } } = {
    name: 'scholar',
    identity: 'scholar',
    modalities: ['text'],
    limits: { concurrency: 4 },
    price: { unit: 'tokens', inputPerMTok: 1, outputPerMTok: 1 },
    ...(script.contextTokens === undefined ? {} : { contextTokens: script.contextTokens }),
    language: { complete },
  };
  const schedule = { kind: 'chunked', ...(script.tokens === undefined ? {} : { tokens: script.tokens }) } as const;
  const how = { call, model, schedule, salt: undefined };
  const runId = script.runId ?? 'q-1';
  const prompts = texts.map((text, at) => renderInput(call, { in: at, n: 1, values: [text] }, model));
  const found = await findAnswers(ledger, prompts, how);
  const facts = await promptFacts(
    ledger,
    how,
    20,
    prompts.filter((_, at) => found[at] === undefined),
  );
  let outcomes: readonly Outcome[] = [];
  let again = false;
  do {
    const known = again ? await findAnswers(ledger, prompts, how) : found;
    outcomes = await askPrompts(
      prompts,
      known,
      {
        ledger,
        gate: { enter: () => Promise.resolve(() => undefined), pause: () => undefined },
        clock: { now: () => 0 },
        model,
        call,
        reservation: { runId, holder: '0/c0/0' },
        limits: script.limits ?? {},
        stop: new AbortController().signal,
        again,
        store: new LocalObjectStore({ kind: 'local', dir: join(dir, 'store') }),
        onAnswer: () => undefined,
      },
      how,
    );
    again = true;
  } while (outcomes.some(({ state }) => state === 'transient'));
  const values = outcomes.map((outcome) => (outcome.state === 'ok' ? outcome.answer.value : outcome.state));
  return { outcomes, values, asked, facts, found, spend: await ledger.spend(runId) };
}

const facts = {
  3: 'She ate the fruit apple.',
  200: 'The code 4711 was on the door.',
  390: 'He ate the fruit pear. The code 99 is old.',
};
const long = story(400, facts);

describe('a text beyond the context of the model', () => {
  test('extract: what any part states, joined without a call', async () => {
    const { values, asked, spend } = await read(extract, [long], { contextTokens: 5000, takes: 5000 });
    expect(values).toEqual([{ code: 4711, fruits: ['apple', 'pear'] }]);
    expect(asked.length).toBeGreaterThan(3);
    expect(asked.some(({ joining }) => joining)).toBe(false);
    expect(spend).toMatchObject({ calls: asked.length, retries: 0 });
  });
  test('summarize: the parts, then one joining', async () => {
    const { values, asked } = await read(summary, [long], { contextTokens: 2000, takes: 2000 });
    expect(values).toEqual(['found apple, pear']);
    expect(asked.filter(({ joining }) => joining)).toHaveLength(1);
    expect(asked.at(-1)?.joining).toBe(true);
  });
  test('translate: every sentence once and in order, white space kept', async () => {
    const text = [story(150), story(150, { 7: 'He ate the fruit fig.' })].join('\n\n');
    const { values } = await read(translation, [text], { contextTokens: 2000, takes: 2000 });
    expect(values).toEqual([text.toUpperCase()]);
  });
  test('many parts are joined in rounds', async () => {
    const names = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [
        n * 6,
        `She ate the fruit ${'abcdefgh'.charAt(n % 8).repeat(1 + (n % 7))}.`,
      ]),
    );
    const { values, asked } = await read(summary, [story(400, names)], { tokens: 64, contextTokens: 1200 });
    expect(asked.filter(({ joining }) => joining).length).toBeGreaterThan(3);
    const wanted = new Set(Object.values(names).map((sentence) => /fruit (\w+)/.exec(sentence)?.[1] ?? ''));
    expect(new Set((values[0] as string).replace('found ', '').split(', '))).toEqual(new Set([...wanted]));
  });
  test('short texts beside it are asked whole, under their direct key', async () => {
    const { asked, outcomes } = await read(extract, ['It is the fruit kiwi.', long, 'Nothing.'], { tokens: 600 });
    expect(asked.filter(({ prompt }) => !prompt.includes('[Part '))).toHaveLength(2);
    expect(outcomes.every(({ state }) => state === 'ok')).toBe(true);
  });
});

describe('what is paid for is found', () => {
  test.each([
    ['extract', extract],
    ['summarize', summary],
    ['translate', translation],
  ] as const)('%s: a rerun asks nothing', async (_, call) => {
    const first = await read(call, [long, 'Short.'], { tokens: 500 });
    const again = await read(call, [long, 'Short.'], { tokens: 500, runId: 'q-2' });
    expect(again.asked).toEqual([]);
    expect(again.values).toEqual(first.values);
    expect(again.found.every((answer) => answer !== undefined && answer.runId === 'q-1')).toBe(true);
    const usd = again.found.reduce((sum, answer) => sum + (answer?.usd ?? 0), 0);
    expect(usd).toBeCloseTo(first.spend.usd, 9);
  });
  test('parts that came before a failure are not asked again', async () => {
    const failing = (_: string, number: number): void => {
      if (number === 3) throw new CallError('rateLimited', 'too many requests');
    };
    const { values, asked, spend } = await read(summary, [long], { tokens: 500, before: failing });
    expect(values).toEqual(['found apple, pear']);
    const parts = asked.filter(({ joining }) => !joining).map(({ prompt }) => prompt);
    expect(parts.length - new Set(parts).size).toBe(1);
    expect(spend.retries).toBeGreaterThan(0);
  });
  test('equal parts of several texts are asked once', async () => {
    const { asked, values } = await read(extract, [long, long], { tokens: 500 });
    const prompts = asked.map(({ prompt }) => prompt);
    expect(new Set(prompts).size).toBe(prompts.length);
    expect(values[0]).toEqual(values[1]);
  });
});

describe('a context that is not known, or is smaller than stated', () => {
  test('the whole is tried first, then parts of half the size until they fit', async () => {
    const { values, asked } = await read(extract, [long], { takes: 5000 });
    expect(values).toEqual([{ code: 4711, fruits: ['apple', 'pear'] }]);
    expect(asked[0]?.prompt).not.toContain('[Part ');
  });
  test('answers that are too long to be joined at once are joined in rounds', async () => {
    const refuse = (prompt: string): void => {
      if (Number(/\[Part 1 of (\d+)\]\nfound/.exec(prompt)?.[1]) > 5) throw new CallError('contextTooLong', 'no');
    };
    const { values, asked } = await read(summary, [long], { tokens: 500, before: refuse });
    expect(values).toEqual(['found apple, pear']);
    expect(asked.filter(({ joining }) => joining).length).toBeGreaterThan(4);
  });
  test('a text that fits is asked whole', async () => {
    const { asked } = await read(extract, [long]);
    expect(asked).toHaveLength(1);
  });
  test('a model that takes nothing: an error of the row, after an end of trying', async () => {
    const { outcomes } = await read(extract, [story(60)], { takes: 10 });
    expect(outcomes).toEqual([
      { state: 'error', code: 'contextTooLong', message: expect.stringContaining('64 tokens') as string },
    ]);
  });
});

describe('what goes wrong with one part', () => {
  test('for good: the row fails and says which part', async () => {
    const refuse = (prompt: string): void => {
      if (partOf(prompt).includes('code 4711')) throw new CallError('contentFilter', 'refused');
    };
    const { outcomes } = await read(extract, [long, 'Short.'], { tokens: 500, before: refuse });
    expect(outcomes[0]).toMatchObject({
      state: 'error',
      code: 'contentFilter',
      message: expect.stringMatching(/^part \d+ of \d+: refused$/) as string,
    });
    expect(outcomes[1]?.state).toBe('ok');
  });
  test('a limit: the row is undecided, its parts stay', async () => {
    const { outcomes, asked } = await read(extract, [long], { tokens: 500, limits: { calls: 3 } });
    expect(outcomes).toEqual([{ state: 'undecided', limit: 'budget-calls' }]);
    const rest = await read(extract, [long], { tokens: 500, runId: 'q-2' });
    expect(asked).toHaveLength(3);
    const whole = await read(extract, [long], { tokens: 500, runId: 'q-3' });
    expect(rest.values).toEqual([{ code: 4711, fruits: ['apple', 'pear'] }]);
    expect(whole.asked).toEqual([]);
  });
  test('a fault of the account ends everything', async () => {
    const broke = (): void => {
      throw new CallError('auth', 'no quota');
    };
    await expect(read(extract, [long], { tokens: 500, before: broke })).rejects.toThrow('no quota');
  });
});

test('the estimate counts parts and joinings, and leaves out what is answered', async () => {
  for (const call of [extract, summary]) {
    const { facts: before, asked } = await read(call, [long, 'Short.'], { tokens: 500 });
    expect(Math.abs(2 / (before?.perCall ?? 0) - asked.length)).toBeLessThanOrEqual(2);
    expect(before?.tokens).toBeGreaterThan(estimateTokens(long) / 2);
  }
});
