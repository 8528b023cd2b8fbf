import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Schema } from '../../../bench/pool/serve/request.js';
import { type Pool, startPool } from '../../../bench/pool/start.js';
import { answerOf, ask, exactProfiles, object, row, textOf, things } from './support.js';

let right: Pool;
let wrong: Pool;
const picture = Buffer.from('not really a picture, the pool reads no pixels');
const clip = Buffer.from('nor a clip');
const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

beforeAll(async () => {
  const truth = things(60);
  const seen = {
    id: 'seen',
    collection: 'things',
    values: [],
    media: [sha256(picture), sha256(clip)],
    fields: { colour: 'blue', old: false },
  };
  const data = [{ tuples: [...truth.tuples, seen], tasks: truth.tasks }];
  right = await startPool({ truth: data, profiles: exactProfiles(1), latencyScale: 0 });
  wrong = await startPool({ truth: data, profiles: exactProfiles(0), latencyScale: 0 });
});
afterAll(async () => {
  await right.close();
  await wrong.close();
});

const fields = (n: number) => row(n).fields;
const batch = (...rows: readonly number[]): string =>
  rows.map((n, at) => `[${at + 1}]:\n<data>\n${textOf(n)}\n</data>\n`).join('\n');
const answer = (node: Schema) => object({ answer: node });
const list = (items: Schema) => answer({ type: 'array', items });
const label = { type: 'string', enum: ['scarlet', 'green', 'blue'] };
const tag = { type: 'string', enum: ['red', 'green', 'blue'] };

interface Case {
  readonly name: string;
  readonly prompt: string;
  readonly schema?: unknown;
  readonly truth: unknown;
}

const cases: readonly Case[] = [
  { name: 'verdict', prompt: `${batch(4)}Is it old?`, schema: answer({ type: 'boolean' }), truth: true },
  { name: 'verdict that is no', prompt: `${batch(5)}Is it old?`, schema: answer({ type: 'boolean' }), truth: false },
  {
    name: 'verdict as label',
    prompt: `${batch(4)}Is it old?`,
    schema: answer({ type: 'string', enum: ['no', 'yes'] }),
    truth: 'yes',
  },
  {
    name: 'verdict about a named label',
    prompt: `${batch(3)}Is its hue scarlet?`,
    schema: answer({ type: 'boolean' }),
    truth: true,
  },
  {
    name: 'verdict about another label',
    prompt: `${batch(4)}Is its hue scarlet?`,
    schema: answer({ type: 'boolean' }),
    truth: false,
  },
  { name: 'label', prompt: `${batch(4)}What colour?`, schema: answer(label), truth: 'green' },
  { name: 'label by another word', prompt: `${batch(3)}What colour?`, schema: answer(label), truth: 'scarlet' },
  { name: 'labels', prompt: `${batch(4)}Which tags fit?`, schema: list(tag), truth: fields(4)['tags'] },
  { name: 'whole number', prompt: `${batch(4)}What size?`, schema: answer({ type: 'integer' }), truth: 5 },
  {
    name: 'score on another scale',
    prompt: `${batch(9)}How big is it?`,
    schema: answer({ type: 'number', minimum: 0, maximum: 1 }),
    truth: 1,
  },
  { name: 'text', prompt: `${batch(4)}Who is the buyer?`, schema: answer({ type: 'string' }), truth: 'P4' },
  {
    name: 'struct with fields that may be null',
    prompt: batch(4),
    schema: answer(
      object({
        colour: { anyOf: [label, { type: 'null' }] },
        size: { anyOf: [{ type: 'integer' }, { type: 'null' }] },
        buyer: { type: 'string' },
      }),
    ),
    truth: { colour: 'green', size: 5, buyer: 'P4' },
  },
  {
    name: 'date',
    prompt: batch(4),
    schema: answer(object({ date: { type: 'string', pattern: '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' } })),
    truth: { date: '2024-02-03' },
  },
  {
    name: 'batch of verdicts',
    prompt: `${batch(4, 7, 8)}Is each old?`,
    schema: list({ type: 'boolean' }),
    truth: [true, false, true],
  },
  {
    name: 'batch of labels',
    prompt: `${batch(4, 7, 8)}The colour of each?`,
    schema: list(label),
    truth: ['green', 'green', 'blue'],
  },
  {
    name: 'batch with ids',
    prompt: `${batch(4, 7)}Is each old?`,
    schema: list(object({ id: { type: 'integer' }, answer: { type: 'boolean' } })),
    truth: [
      { id: 1, answer: true },
      { id: 2, answer: false },
    ],
  },
  {
    name: 'batch by key',
    prompt: `${batch(4, 7)}Is each old?`,
    schema: answer(object({ '1': { type: 'boolean' }, '2': { type: 'boolean' } })),
    truth: { '1': true, '2': false },
  },
  {
    name: 'selection of ids',
    prompt: `${batch(4, 7, 8)}Which are old?`,
    schema: list({ type: 'integer' }),
    truth: [1, 3],
  },
  { name: 'count', prompt: `${batch(4, 7, 8)}How many are old?`, schema: answer({ type: 'integer' }), truth: 2 },
  {
    name: 'pair',
    prompt: `${batch(4, 7)}Do [1] and [2] have the same colour?`,
    schema: answer({ type: 'boolean' }),
    truth: true,
  },
  {
    name: 'one against many',
    prompt: `${batch(4, 7, 8, 10)}Which have the same colour as [1]?`,
    schema: list({ type: 'integer' }),
    truth: [2, 4],
  },
  {
    name: 'list of pairs',
    prompt: `${batch(4, 7, 8, 10)}For each pair: same colour?`,
    schema: list({ type: 'boolean' }),
    truth: [true, false],
  },
  {
    name: 'join as labels',
    prompt: `${batch(4)}Which of these have the same colour?`,
    schema: list({ type: 'string', enum: [textOf(5), textOf(7), textOf(10)] }),
    truth: [textOf(7), textOf(10)],
  },
  {
    name: 'comparison',
    prompt: `${batch(4, 8)}Which is larger?`,
    schema: answer({ type: 'integer', enum: [1, 2] }),
    truth: '2',
  },
  {
    name: 'comparison as verdict',
    prompt: `${batch(4, 8)}Is [1] larger than [2]?`,
    schema: answer({ type: 'boolean' }),
    truth: false,
  },
  { name: 'ranking', prompt: `${batch(4, 8, 1)}Rank them.`, schema: list({ type: 'integer' }), truth: [2, 1, 3] },
  { name: 'plain words', prompt: `${batch(4)}Is it old? Reply True or False.`, truth: 'True' },
  { name: 'plain words with a mark', prompt: `${batch(4)}Is it old?\nAnswer: True or False`, truth: 'Answer: True' },
  { name: 'plain label', prompt: `${batch(4)}The colour, one of:\n- scarlet\n- green`, truth: 'green' },
  { name: 'plain text', prompt: `${batch(4)}Who bought it?`, truth: 'P4' },
];

const parsed = (text: string, schema: unknown): unknown =>
  schema === undefined ? text : (JSON.parse(text) as { answer: unknown }).answer;

describe('shapes of answers', () => {
  it.each(cases)('$name: right and plausibly wrong', async ({ prompt, schema, truth }) => {
    const good = await ask(right.url, prompt, { schema });
    expect(good.body['error']).toBeUndefined();
    const said = parsed(good.text, schema);
    if (typeof truth === 'string' && typeof said === 'number') expect(String(said)).toBe(truth);
    else expect(said).toEqual(truth);
    const bad = await ask(wrong.url, prompt, { schema });
    expect(parsed(bad.text, schema)).not.toEqual(truth);
  });

  it('explains and states its confidence where properties ask for it', async () => {
    const schema = object({
      answer: { type: 'boolean' },
      explanation: { type: 'string' },
      confidence: { type: 'number' },
    });
    const reply = JSON.parse((await ask(right.url, `${batch(4)}Is it old?`, { schema })).text) as Record<
      string,
      unknown
    >;
    expect(reply).toMatchObject({ answer: true, explanation: expect.stringContaining('Simulated') });
    expect(reply['confidence']).toBeGreaterThan(0.9);
  });

  it('follows references and knows a JSON example in the instruction', async () => {
    const schema = { ...object({ answer: { $ref: '#/$defs/Verdict' } }), $defs: { Verdict: { type: 'boolean' } } };
    expect(answerOf(await ask(right.url, `${batch(4)}Is it old?`, { schema }))).toBe(true);
    const system = 'Judge. Reply with JSON: {"answer": true} or {"answer": false}.';
    expect(answerOf(await ask(right.url, `${batch(4)}Is it old?`, { system }))).toBe(true);
  });

  it('knows the fields that a prompt lists, the scale of a field, and 1 for yes', async () => {
    const listed = (fields: string): string =>
      `OUTPUT FIELDS:\n- name: of the example\n\n${batch(4)}OUTPUT FIELDS:\n${fields}\nGive JSON.`;
    expect(
      JSON.parse((await ask(right.url, listed('- colour: its hue\n- thingSize: its size from 1 to 5'))).text),
    ).toEqual({
      colour: 'green',
      // 5 on the scale from 1 to 10
      thingSize: expect.closeTo(1 + (4 / 9) * 4, 4) as number,
    });
    const system = 'The response should be valid JSON format with the following fields: thingSize.';
    expect(JSON.parse((await ask(right.url, `${batch(4)}What size?`, { system })).text)).toEqual({ thingSize: 5 });
    expect((await ask(right.url, `Is it old? Answer with 1 for yes, 0 for no.\n${batch(4)}`)).text).toBe('1');
    expect((await ask(right.url, `Is it old? Answer with 1 for yes, 0 for no.\n${batch(5)}`)).text).toBe('0');
  });

  it.each([
    ['inline', (text: string) => `Context: "${text}" -- so, is it old?`],
    ['as JSON', (text: string) => `Row: ${JSON.stringify({ id: 7, text })}\nold?`],
    ['as escaped JSON', (text: string) => JSON.stringify(JSON.stringify({ note: `\n${text}\té` }))],
    ['reflowed and shouted', (text: string) => `OLD? ${text.toUpperCase().replaceAll(' ', ' \n ')}`],
    ['in the middle of other text', (text: string) => `${'Much ado. '.repeat(50)}${text} And on. Is it old?`],
  ])('finds a row %s', async (_, wrap) => {
    const prompt = `${wrap(textOf(4))} old?`;
    expect(answerOf(await ask(right.url, prompt, { schema: answer({ type: 'boolean' }) }))).toBe(true);
  });

  it('judges the last row when examples come first, and takes no task from the words of the data', async () => {
    expect(
      answerOf(
        await ask(right.url, `Example: ${textOf(5)} -> false\n${batch(4)}Is it old?`, {
          schema: answer({ type: 'boolean' }),
        }),
      ),
    ).toBe(true);
    // the row says "bought", which is no question
    expect((await ask(right.url, `${batch(4)}Hm?`)).status).toBe(501);
  });

  it('knows images and clips by their bytes', async () => {
    const image = { type: 'image_url', image_url: { url: `data:image/png;base64,${picture.toString('base64')}` } };
    const audio = { type: 'input_audio', input_audio: { data: clip.toString('base64'), format: 'wav' } };
    const question = { type: 'text', text: 'What colour?' };
    const schema = answer(label);
    expect(answerOf(await ask(right.url, [image, question], { schema, model: 'sim-vision' }))).toBe('blue');
    expect(answerOf(await ask(right.url, [audio, question], { schema, model: 'sim-audio' }))).toBe('blue');
    expect((await ask(right.url, [image, question], { schema, model: 'sim-nano' })).status).toBe(400);
    expect(right.counts()['sim-vision']).toMatchObject({ images: 1, tuples: 1 });
  });
});

describe('what cannot be answered', () => {
  it('says so with a 501 that names the reason, and makes nothing up', async () => {
    const unknown = await ask(right.url, 'Draft a plan for the query.');
    expect(unknown.status).toBe(501);
    expect(JSON.stringify(unknown.body)).toMatch(/no registered tuple.*no real model/);
    const unfit = await ask(right.url, `${batch(4)}old?`, {
      schema: object({
        steps: {
          type: 'array',
          items: object({ nonsense: { type: 'object', properties: { deeper: { type: 'null' } } } }),
        },
      }),
    });
    expect(unfit.text).not.toContain('true');
    expect(right.counts()['sim-strong']?.unanswered).toBeGreaterThan(0);
  });

  it('refuses what is no request', async () => {
    expect((await ask(right.url, 'x', { model: 'gpt-9' })).status).toBe(404);
    expect((await ask(right.url, 'x', { more: { stream: true } })).status).toBe(400);
    expect((await ask(right.url, 'x', { more: { messages: [] } })).status).toBe(400);
    expect((await fetch(`${right.url}/chat/completions`, { method: 'POST', body: '{' })).status).toBe(400);
    expect((await fetch(`${right.url}/elsewhere`)).status).toBe(404);
  });
});
