import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ChatCall } from '../support/endpoint.js';
import { batchReply, itemsIn } from '../support/batches.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { runCli } from '../support/run-cli.js';

/** `--strategy batched` and `chunked` with the real stack, against an endpoint with faults. */

let project: Project;
let spoil: (reply: string, call: ChatCall) => string;
const isBad = (text: string): boolean => text.includes('bad film');

function answer(call: ChatCall): string {
  const items = itemsIn(call.prompt);
  // The last message of a repair does not hold the text.
  const said = JSON.stringify(call.body['messages']);
  const whole = items.length === 0 ? JSON.stringify({ answer: isBad(said) }) : undefined;
  return spoil(whole ?? batchReply(items.map(({ id, text }) => [id, isBad(text)])), call);
}

beforeAll(async () => {
  project = await openProject({ endpoint: { answer }, concurrency: 4 });
});
afterAll(() => project.close());
beforeEach(() => {
  spoil = (reply) => reply;
  project.endpoint.setFaults([]);
});

const query = "SELECT id FROM t WHERE AI_FILTER('Is this a bad review? {text}') ORDER BY id";
async function run(tag: string, rows: number, ...flags: readonly string[]) {
  await project.write('t.csv', reviews(rows, { tag }));
  const before = project.endpoint.counts.chat;
  const { code, stdout, stderr } = await runCli(
    project,
    'query',
    query,
    '--table',
    't.csv',
    '-o',
    'csv',
    '--yes',
    ...flags,
  );
  const ids = stdout.trim().split(/\r?\n/).slice(1).map(Number);
  return { code, ids, stderr, calls: project.endpoint.counts.chat - before };
}
const wanted = (rows: number) => Array.from({ length: rows }, (_, id) => id).filter((id) => id % 3 === 0);
const batched = ['--strategy', 'batched', '--batch', '25'] as const;

describe('batched', () => {
  test('sends a schema with an id for each tuple, and counts what --dry-run foretold', async () => {
    const dry = await run('plain', 300, ...batched, '--dry-run');
    expect([dry.code, dry.calls]).toEqual([0, 0]);
    const { code, ids, calls, stderr } = await run('plain', 300, ...batched);
    expect([code, ids, calls]).toEqual([0, wanted(300), 12]);
    expect(stderr).toMatch(/total: 12 calls/);
    const format = project.endpoint.requests.at(-1)?.body['response_format'] as { json_schema: { schema: unknown } };
    expect(JSON.stringify(format.json_schema.schema)).toMatch(/"required":\["[a-z]{3}"(,"[a-z]{3}"){24}\]/);
  });

  test.each([
    ['429', [{ kind: '429', every: 3, headers: { 'retry-after': '0' } }]],
    ['garbage', [{ kind: 'garbage', every: 3 }]],
    [
      'empty bodies and cut connections',
      [
        { kind: 'emptyBody', every: 4 },
        { kind: 'cut', every: 7 },
      ],
    ],
  ] as const)('%s: every row has its answer', async (name, faults) => {
    project.endpoint.setFaults(faults);
    const { code, ids, calls } = await run(name, 200, ...batched);
    expect([code, ids]).toEqual([0, wanted(200)]);
    expect(calls).toBeLessThan(200);
  });

  test('replies that lack answers, or are by number: every row has its own', async () => {
    spoil = (reply, { call, prompt }) => {
      const items = itemsIn(prompt);
      if (items.length === 0) return reply;
      if (call % 3 === 0) return batchReply(items.slice(1).map(({ id, text }) => [id, isBad(text)]));
      return call % 3 === 1 ? batchReply(items.map(({ text }, at) => [String(at + 1), isBad(text)])) : reply;
    };
    const { code, ids } = await run('spoilt', 150, ...batched);
    expect([code, ids]).toEqual([0, wanted(150)]);
  });

  test('answers in a code fence', async () => {
    spoil = (reply) => `Here it is:\n\`\`\`json\n${reply}\n\`\`\``;
    const { ids, calls } = await run('fenced', 100, ...batched);
    expect([ids, calls]).toEqual([wanted(100), 4]);
  });
});
