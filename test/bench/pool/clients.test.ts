import { OpenAI, toFile } from 'openai';
import { createHash } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { buildRequest, semanticOperators } from '../../../plans/operators/index.js';
import type { OperatorParameters, SemanticCall } from '../../../plans/operators/call.js';
import type { OutputType } from '../../../plans/operators/output.js';
import { attachMedia } from '../../../plans/operators/index.js';
import { clipsOf } from '../../../workers/runtime/media/audio/clips.js';
import { openOpenAi } from '../../../workers/runtime/models/openai/open.js';
import { endpointModel } from '../../workers/runtime/models/requests.js';
import { closeAll, promptOf, startedPool } from './started.js';
import { changed, exactProfiles, row, sides, textOf, things } from './support.js';

afterEach(closeAll);

const never = new AbortController().signal;
const deps = { env: { TEST_KEY: 'sk-pool' }, modelsDir: '/nowhere' };

/** One second of a tone, 16 kHz, 16 bit, mono. */
function tone(): Buffer {
  const header = Buffer.alloc(44);
  header.write('RIFF', 0);
  header.writeUInt32LE(36 + 32_000, 4);
  header.write('WAVEfmt ', 8);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(16_000, 24);
  header.writeUInt32LE(32_000, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.write('data', 36);
  header.writeUInt32LE(32_000, 40);
  const samples = Buffer.alloc(32_000);
  for (let at = 0; at < 16_000; at++) samples.writeInt16LE(Math.round(8000 * Math.sin(at / 5)), at * 2);
  return Buffer.concat([header, samples]);
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('the openai client', () => {
  it('chats, embeds, lists and transcribes', async () => {
    const clip = tone();
    const spoken = {
      id: 'clip',
      collection: 'clips',
      values: [],
      media: [sha256(clip)],
      fields: {},
      transcript: 'the quick brown fox jumps over the lazy dog',
    };
    const pool = await startedPool({ truth: [things(10), { tuples: [spoken], tasks: [] }], profiles: exactProfiles() });
    const client = new OpenAI({ baseURL: pool.url, apiKey: 'any', maxRetries: 0 });
    const completion = await client.chat.completions.create({
      model: 'sim-mini',
      messages: [{ role: 'user', content: promptOf(4) }],
      logprobs: true,
    });
    expect(completion.choices[0]?.message.content).toBe('true');
    expect(completion.usage?.completion_tokens).toBeGreaterThan(0);
    const { data } = await client.embeddings.create({ model: 'sim-embed', input: [textOf(1), textOf(2)] });
    expect(data.map(({ embedding }) => embedding.length)).toEqual([256, 256]);
    expect((await client.models.list()).data.map(({ id }) => id)).toContain('sim-strong');
    const heard = await client.audio.transcriptions.create({
      model: 'sim-transcribe',
      file: await toFile(clip, 'a.wav'),
    });
    expect(heard.text.split(' ').filter((word) => spoken.transcript.includes(word)).length).toBeGreaterThan(5);
  });

  it('retries what the pool turns away, and says why when it gives up', async () => {
    const pool = await startedPool({
      profiles: changed({ faults: { rateLimited: 0.5, serverError: 0, hang: 0, badJson: 0 } }),
    });
    const client = new OpenAI({ baseURL: pool.url, apiKey: 'any', maxRetries: 8 });
    for (let n = 0; n < 10; n++) {
      const { choices } = await client.chat.completions.create({
        model: 'sim-mini',
        messages: [{ role: 'user', content: promptOf(n) }],
      });
      expect(choices[0]?.message.content).toMatch(/true|false/);
    }
    expect(pool.counts()['sim-mini']?.faults['rateLimited']).toBeGreaterThan(0);
  });

  it('is told why there is no answer', async () => {
    const pool = await startedPool({});
    const client = new OpenAI({ baseURL: pool.url, apiKey: 'any', maxRetries: 0 });
    const asked = client.chat.completions.create({ model: 'sim-mini', messages: [{ role: 'user', content: 'Plan.' }] });
    await expect(asked).rejects.toThrow(/501.*cannot answer/);
  });
});

interface Operator {
  readonly parameters: OperatorParameters;
  readonly template: string;
  readonly output: OutputType;
  readonly truth: (n: number) => unknown;
}

const labels = sides.map((label) => ({ label }));
const colour: OutputType = { kind: 'enum', values: sides };

const operators: readonly Operator[] = [
  {
    parameters: { kind: 'filter' },
    template: '{0} is about something old',
    output: { kind: 'boolean' },
    truth: (n) => n % 2 === 0,
  },
  {
    parameters: { kind: 'classify', labels, multi: false, task: 'By colour.' },
    template: '{0}',
    output: colour,
    truth: (n) => sides[n % 3],
  },
  {
    parameters: { kind: 'classify', labels, multi: true, task: 'Which tags?' },
    template: '{0}',
    output: { kind: 'list', item: colour },
    truth: (n) => row(n).fields['tags'],
  },
  {
    parameters: { kind: 'extract' },
    template: '{0}',
    output: {
      kind: 'struct',
      fields: [
        { name: 'buyer', type: { kind: 'string' } },
        { name: 'colour', type: colour },
        { name: 'size', type: { kind: 'integer' } },
      ],
    },
    truth: (n) => ({ buyer: `P${n}`, colour: sides[n % 3], size: (n % 10) + 1 }),
  },
  {
    parameters: { kind: 'complete' },
    template: 'Who bought it? {0}',
    output: { kind: 'string' },
    truth: (n) => `P${n}`,
  },
  {
    parameters: { kind: 'complete' },
    template: 'How big is it? {0}',
    output: { kind: 'integer' },
    truth: (n) => (n % 10) + 1,
  },
  {
    parameters: { kind: 'score', min: 0, max: 1 },
    template: 'How big is it? {0}',
    output: { kind: 'number', min: 0, max: 1 },
    truth: (n) => Number(((n % 10) / 9).toPrecision(6)),
  },
];

const callOf = ({ parameters, template, output }: Operator): SemanticCall => ({
  id: 'c0',
  role: 'value',
  parameters,
  template,
  inputs: [{ sql: 't.text', label: 'text', modality: 'text' }],
  output,
  position: 0,
});

describe('our own backend', () => {
  describe.each([true, false])('with response_format: %s', (jsonSchema) => {
    it.each(operators)('$parameters.kind, $template', async (operator) => {
      const pool = await startedPool({ profiles: exactProfiles() });
      const opened = await openOpenAi('pool', endpointModel(pool.url, { model: 'sim-strong', jsonSchema }), deps);
      const call = callOf(operator);
      for (let n = 0; n < 12; n++) {
        const request = buildRequest(call, [textOf(n)], { confidence: true });
        const reply = await opened.model.language!.complete(attachMedia(request, new Map()), never);
        const decoded = semanticOperators[call.parameters.kind].decode(reply.text, call);
        expect(decoded).toEqual({ ok: true, value: operator.truth(n) });
        expect(reply.usage?.inputTokens).toBeGreaterThan(10);
        expect(reply.confidence).toBeGreaterThan(0.9);
      }
      await opened.close();
    });
  });

  it('reads the confidence of a verdict as the pool drew it', async () => {
    const pool = await startedPool({});
    const opened = await openOpenAi('pool', endpointModel(pool.url, { model: 'sim-nano' }), deps);
    const call = callOf(operators[0]!);
    const seen = new Set<number>();
    for (let n = 0; n < 20; n++) {
      const { confidence } = await opened.model.language!.complete(
        attachMedia(buildRequest(call, [textOf(n)], { confidence: true }), new Map()),
        never,
      );
      expect(confidence).toBeGreaterThan(0);
      expect(confidence).toBeLessThan(1);
      seen.add(confidence!);
    }
    expect(seen.size).toBe(20);
    await opened.close();
  });

  it('transcribes, and what was heard stands for the row in the next prompt', async () => {
    const clip = tone();
    const converted: Uint8Array[] = [];
    for await (const { wav } of clipsOf({ bytes: clip }, 600)) converted.push(wav);
    const pool = await startedPool({ truth: [] });
    pool.truth.tasks.push({
      key: 'angry',
      collections: ['clips'],
      intent: [['angry']],
      truth: { rule: 'test', field: 'angry', in: [true] },
    });
    const transcript = 'I have been waiting for my luggage since noon and nobody here will tell me a thing about it';
    const tuple = pool.truth.add({
      id: 'c',
      collection: 'clips',
      values: [],
      fields: { angry: true },
      evidence: { angry: 1 },
      transcript,
    });
    pool.truth.addMedia(tuple, sha256(converted[0]!));
    const opened = await openOpenAi(
      'pool',
      endpointModel(pool.url, { model: 'sim-transcribe', task: 'transcription' }),
      deps,
    );
    const { text } = await opened.model.transcriber!.transcribe(clip, {}, never);
    expect(text.split(' ').length).toBeGreaterThan(10);
    await opened.close();
    const client = new OpenAI({ baseURL: pool.url, apiKey: 'any', maxRetries: 0 });
    const { choices } = await client.chat.completions.create({
      model: 'sim-strong',
      messages: [{ role: 'user', content: `"${text}"\nIs the speaker angry?` }],
    });
    expect(choices[0]?.message.content).toMatch(/true|false/);
    expect(pool.counts()['sim-transcribe']).toMatchObject({ tuples: 1, audioSeconds: 1 });
  });

  it('a clip without a transcript is not made up', async () => {
    const pool = await startedPool({});
    const client = new OpenAI({ baseURL: pool.url, apiKey: 'any', maxRetries: 0 });
    await expect(
      client.audio.transcriptions.create({ model: 'sim-transcribe', file: await toFile(tone(), 'a.wav') }),
    ).rejects.toThrow(/501/);
  });
});
