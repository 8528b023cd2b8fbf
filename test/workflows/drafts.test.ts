import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { draftWith } from '../../client/drafts.js';
import type { Instance } from '../../plans/logical/instance.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { queues } from '../../plans/protocol/queues.js';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';

/** Drafting as a workflow: real server, activities, ledger and store; the planner is scripted, and its answers made by hand. */

const instance: Instance = {
  template: 'filter',
  intent: '{text} is positive',
  inputs: [
    {
      name: 't',
      key: ['id'],
      schema: [
        { name: 'id', type: 'BIGINT' },
        { name: 'text', type: 'Text' },
      ],
    },
  ],
};
const draft = (task: string, predicate: string, params: object = {}): string =>
  JSON.stringify({
    v: 1,
    nodes: [
      { id: 'a', op: 'scan', relation: 't' },
      { id: 'b', op: 'apply', input: 'a', task, bind: { text: 'text' }, params },
      { id: 'c', op: 'select', input: 'b', predicate },
      { id: 'd', op: 'project', input: 'c', columns: ['id', 'text'] },
    ],
    output: 'd',
  });
const senti = draft('OpTxtSenti', "Polarity = 'positive'");
const faulty = draft('OpTxtSenti', "Polarty = 'positive'");
const qa = draft('OpTxtQA', "Answer = 'yes'", { question: 'Is it positive?' });

let engine: Engine;
let script: (() => string)[] = [];
const asked: { prompt: string; temperature: number; seed: number | undefined }[] = [];
beforeAll(async () => {
  engine = await startEngine({
    planner: {
      answer: (prompt, { temperature, seed }) => {
        asked.push({ prompt, temperature, seed });
        const next = script.shift();
        if (next === undefined) throw new Error('asked more than is scripted');
        return { text: next() };
      },
    },
    mute: { embed: () => [1, 0, 0, 0] },
  });
}, 120_000);
afterAll(() => engine.close());
beforeEach(() => {
  asked.length = 0;
});

const failing = (error: CallError) => (): never => {
  throw error;
};
/** Of the drafting that ended last. */
async function recordLast(name: string): Promise<void> {
  const ended: { readonly workflowId: string; readonly at: number }[] = [];
  for await (const { workflowId, closeTime } of engine.client.workflow.list({ query: "WorkflowType = 'draft'" }))
    ended.push({ workflowId, at: closeTime?.getTime() ?? 0 });
  const [last] = ended.sort((a, b) => b.at - a.at);
  if (last !== undefined) await recordHistory(engine.client, last.workflowId, undefined, name);
}

let tag = 0;
/** An intent of its own, so that answers of other tests do not count. */
const fresh = (): Instance => ({ ...instance, intent: `{text} is positive (${(tag += 1)})` });
const run = (given: Instance, answers: readonly (string | (() => string))[], options = {}, budget = {}) => {
  script = answers.map((answer) => (typeof answer === 'string' ? () => answer : answer));
  const ports = { client: engine.client, store: engine.store, queue: queues.cpu };
  return draftWith(ports, given, { model: 'planner', ...options }, budget);
};
const codeOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => (FermataError.is(error) ? error.code : String(error)),
  );

test('drafts, repairs and drafts that differ; every exchange and its price come with them', async () => {
  const drafts = await run(fresh(), [faulty, senti, qa, senti]);
  expect(drafts.attempts.map(({ outcome, rounds }) => [outcome, rounds])).toEqual([
    ['clean', 2],
    ['clean', 1],
    ['repeated', 1],
  ]);
  expect(drafts.exchanges.map(({ attempt, round, answer }) => [attempt, round, answer])).toEqual([
    [1, 0, faulty],
    [1, 1, senti],
    [2, 0, qa],
    [3, 0, senti],
  ]);
  expect(drafts.exchanges.map(({ prompt }) => prompt)).toEqual(asked.map(({ prompt }) => prompt));
  expect(asked[1]?.prompt).toContain("c.predicate: there is no attribute 'Polarty' here");
  expect(asked.map(({ temperature, seed }) => [temperature, seed])).toEqual([
    [0, undefined],
    [0, undefined],
    [0.8, 2],
    [0.8, 3],
  ]);
  expect(drafts.spend).toMatchObject({ calls: 4, inputTokens: 40, outputTokens: 4, unpriced: 0 });
  expect(drafts).not.toHaveProperty('stopped');
  await recordLast('draft-complete');
});

test('asked again, it pays nothing; without the cache it does', async () => {
  const given = fresh();
  const first = await run(given, [senti, qa, senti]);
  const again = await run(given, []);
  expect(again).toMatchObject({ attempts: first.attempts, exchanges: first.exchanges, spend: { calls: 0, usd: 0 } });
  expect((await run(given, [senti, qa, senti], { cache: false })).spend.calls).toBe(3);
});

test('a step that is run again, as after the death of its worker, buys no answer twice', async () => {
  script = [() => faulty, () => senti];
  const body = { v: 1, instance: fresh(), model: 'planner', attempts: 1, cache: false };
  const request = await engine.store.put(Buffer.from(JSON.stringify(body)));
  const step = () => engine.activities.draftStep({ runId: 'd-again', request, limits: {}, last: false });
  expect(await step()).toEqual({ state: 'asked' });
  // The answer was bought, and nobody heard of it: the same step once more asks for the next one only.
  expect(await step()).toMatchObject({ state: 'done' });
  expect(await step()).toMatchObject({ state: 'done' });
  expect(asked).toHaveLength(2);
});

test('nothing of prompts and answers is in the history', async () => {
  const secret = 'a word that stands in the prompt alone';
  await run({ ...instance, intent: `{text} says ${secret}` }, [senti, qa, senti]);
  const list = engine.client.workflow.list({ query: "WorkflowType = 'draft'" });
  let seen = 0;
  for await (const { workflowId } of list) {
    const history = JSON.stringify(await engine.client.workflow.getHandle(workflowId).fetchHistory());
    const payloads = [...history.matchAll(/"data":"([^"]*)"/g)].map(([, data = '']) =>
      Buffer.from(data, 'base64').toString(),
    );
    expect(payloads.join()).not.toContain(secret);
    expect(payloads.join()).not.toContain('OpTxtSenti');
    seen += 1;
  }
  expect(seen).toBeGreaterThan(0);
});

describe('a planner that fails', () => {
  test('answers of every bad kind end attempts, and nothing else', async () => {
    const { attempts, spend } = await run(
      fresh(),
      ['prose', '{"nodes": [', '{"nodes": []}', '', 'x'.repeat(300_000), qa],
      {
        attempts: 2,
      },
    );
    expect(attempts.map(({ outcome, rounds }) => [outcome, rounds])).toEqual([
      ['given-up', 3],
      ['clean', 3],
    ]);
    expect(spend.calls).toBe(6);
  });

  test('a passing failure is waited for', async () => {
    const drafts = await run(fresh(), [failing(new CallError('serverError', 'down')), senti], { attempts: 1 });
    expect(drafts).toMatchObject({ attempts: [{ outcome: 'clean' }] });
    await recordLast('draft-waited');
  });

  test('a failure of one prompt keeps the drafts before it', async () => {
    const drafts = await run(fresh(), [senti, failing(new CallError('truncated', 'cut off'))]);
    expect(drafts).toMatchObject({ attempts: [{ outcome: 'clean' }], stopped: 'truncated: cut off' });
  });

  test('a budget keeps the drafts before it', async () => {
    const drafts = await run(fresh(), [senti], {}, { calls: 1 });
    expect(drafts).toMatchObject({ attempts: [{ outcome: 'clean' }], stopped: 'budget-calls', spend: { calls: 1 } });
    expect(await run(fresh(), [], {}, { seconds: 0 })).toMatchObject({ attempts: [], stopped: 'budget-seconds' });
  });

  test('a refused key and a model that cannot plan are errors', async () => {
    expect(await codeOf(run(fresh(), [failing(new CallError('auth', 'no'))]))).toBe('ModelRefused');
    expect(await codeOf(run(fresh(), [], { model: 'mute' }))).toBe('ModalityUnsupported');
    expect(await codeOf(run(fresh(), [], { model: 'nobody' }))).toBe('UnknownModel');
  });
});
