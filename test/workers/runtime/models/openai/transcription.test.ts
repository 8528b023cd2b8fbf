import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { Transcriber } from '../../../../../activities/ports.js';
import { openOpenAi } from '../../../../../workers/runtime/models/openai/open.js';
import { noWhisper, startWhisper } from '../../../../support/whisper-server.js';
import { fixture, sine, wav } from '../../media/clips.js';
import { never } from '../requests.js';

interface Asked {
  readonly path: string;
  readonly key: string | undefined;
  readonly fields: FormData;
}

type Reply = (response: ServerResponse, asked: Asked) => void;

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function open(baseUrl: string, timeoutMs = 5_000): Promise<Transcriber> {
  const opened = await openOpenAi(
    'ears',
    {
      kind: 'openai',
      model: 'whisper-1',
      task: 'transcription',
      baseUrl,
      apiKeyEnv: 'KEY',
      timeoutMs,
      omit: [],
      jsonSchema: true,
      modalities: ['text'],
      limits: { concurrency: 4 },
    },
    { env: { KEY: 'sk-secret-1234' }, modelsDir: '' },
  );
  closers.push(() => opened.close());
  expect(opened.model.modalities).toEqual(['audio']);
  if (opened.model.transcriber === undefined) throw new Error('no transcriber');
  return opened.model.transcriber;
}

/** An endpoint that notes what it is asked. */
async function endpoint(reply: Reply, timeoutMs?: number) {
  const asked: Asked[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const headers = { 'content-type': request.headers['content-type'] ?? '' };
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- for servers of strangers' forms, which this is not
    const fields = await new Response(Buffer.concat(chunks), { headers }).formData();
    const one = { path: request.url ?? '', key: request.headers.authorization, fields };
    asked.push(one);
    reply(response, one);
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  closers.push(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return { asked, transcriber: await open(`http://127.0.0.1:${port}/v1`, timeoutMs) };
}

const says =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  };

const tone = wav(sine(440, 1));

describe('requests', () => {
  test('send the model, 16 kHz WAV, the options and the key as a form', async () => {
    const { asked, transcriber } = await endpoint(says({ text: ' Hello. ', language: 'english', duration: 1 }));
    const options = { language: 'en', prompt: 'Fermata' };
    const made = await transcriber.transcribe(await fixture('tone.mp3'), options, never);
    expect(made).toEqual({ text: 'Hello.', language: 'english', seconds: expect.closeTo(0.5, 2) as number });
    const [{ path, key, fields } = { path: '', key: '', fields: new FormData() }] = asked;
    expect([path, key]).toEqual(['/v1/audio/transcriptions', 'Bearer sk-secret-1234']);
    const named = Object.fromEntries([...fields].filter(([, value]) => typeof value === 'string'));
    expect(named).toEqual({ model: 'whisper-1', response_format: 'verbose_json', temperature: '0', ...options });
    const file = Buffer.from(await (fields.get('file') as Blob).arrayBuffer());
    expect([file.toString('latin1', 0, 4), file.readUInt16LE(22), file.readUInt32LE(24)]).toEqual(['RIFF', 1, 16_000]);
  });

  test('tell the tokens that were billed, where the endpoint does', async () => {
    const usage = { type: 'tokens', input_tokens: 14, output_tokens: 5, total_tokens: 19 };
    const { transcriber } = await endpoint(says({ text: 'a', usage }));
    expect((await transcriber.transcribe(tone, {}, never)).usage).toEqual({ inputTokens: 14, outputTokens: 5 });
  });

  test('are not made for silence', async () => {
    const { asked, transcriber } = await endpoint(says({ text: 'Thank you for watching!' }));
    expect(await transcriber.transcribe(wav(new Float32Array(16_000)), {}, never)).toMatchObject({
      text: '',
      seconds: 1,
    });
    expect(asked).toHaveLength(0);
  });

  test('are made without a field that the model refuses, from then on', async () => {
    const { asked, transcriber } = await endpoint((response, { fields }) => {
      const message = "response_format 'verbose_json' is not compatible with model; use 'json' instead";
      if (fields.has('response_format'))
        says({ error: { message, param: 'response_format' } }, 400)(response, asked[0]!);
      else says({ text: 'yes' })(response, asked[0]!);
    });
    expect((await transcriber.transcribe(tone, {}, never)).text).toBe('yes');
    await transcriber.transcribe(tone, {}, never);
    expect(asked).toHaveLength(3);
  });

  test('are several for a long clip, and their texts are joined', async () => {
    const { asked, transcriber } = await endpoint((response) =>
      says({ text: `part ${asked.length}`, usage: { input_tokens: 1, output_tokens: 2 } })(response, asked[0]!),
    );
    const long = wav(sine(200, 1_300), { codec: 'pcm8' });
    expect(await transcriber.transcribe(long, {}, never)).toEqual({
      text: 'part 1 part 2 part 3',
      seconds: 1_300,
      usage: { inputTokens: 3, outputTokens: 6 },
    });
  });

  test('are not made for what is no audio', async () => {
    const { asked, transcriber } = await endpoint(says({ text: 'x' }));
    await expect(transcriber.transcribe(Buffer.from('%PDF'), {}, never)).rejects.toMatchObject({ code: 'badMedia' });
    expect(asked).toHaveLength(0);
  });
});

describe('failures', () => {
  const rows: readonly (readonly [string, Reply, object])[] = [
    ['429', says({}, 429, { 'retry-after': '3' }), { code: 'rateLimited', fate: 'transient', retryAfterMs: 3_000 }],
    ['500', says({}, 500), { code: 'serverError', fate: 'transient' }],
    ['401', says({ error: { message: 'bad key sk-secret-1234' } }, 401), { code: 'auth', fate: 'fatal' }],
    ['404', says({}, 404), { code: 'modelNotFound', fate: 'fatal' }],
    ['400', says({ error: { message: 'Could not decode the audio' } }, 400), { code: 'badMedia', fate: 'row' }],
    ['413', says({}, 413), { fate: 'row' }],
    ['no JSON', says('<html>'), { code: 'notJson', fate: 'transient' }],
    ['nothing', says(''), { code: 'emptyReply', fate: 'transient' }],
    ['no text', says({ words: [] }), { code: 'emptyReply', fate: 'transient' }],
    ['a cut connection', (response) => void response.destroy(), { code: 'connection', fate: 'transient' }],
  ];
  test.each(rows)('%s', async (_, reply, expected) => {
    const { transcriber } = await endpoint(reply);
    const error: unknown = await transcriber.transcribe(tone, {}, never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'CallError', ...expected });
    expect((error as Error).message).not.toContain('sk-secret');
  });

  test('an endpoint that never answers', async () => {
    const { transcriber } = await endpoint(() => undefined, 200);
    await expect(transcriber.transcribe(tone, {}, never)).rejects.toMatchObject({ code: 'timeout', fate: 'transient' });
  });

  test('a call that is told to stop', async () => {
    const control = new AbortController();
    const { transcriber } = await endpoint(() => control.abort(new Error('stopped')));
    await expect(transcriber.transcribe(tone, {}, control.signal)).rejects.toThrow('stopped');
  });
});

test.skipIf(noWhisper !== undefined)(
  `Whisper writes down what is said (skipped where: ${noWhisper ?? 'it is here'})`,
  async () => {
    const server = await startWhisper();
    closers.push(() => server.close());
    const transcriber = await open(server.baseUrl, 60_000);
    const made = await transcriber.transcribe(await fixture('speech-opus.ogg'), { language: 'en' }, never);
    const words = made.text
      .toLowerCase()
      .replace(/[^a-z ]/g, '')
      .split(/\s+/);
    expect(words.join(' ')).toBe('ever tried ever failed no matter try again fail again fail better');
    expect(made).toMatchObject({ language: 'en', seconds: expect.closeTo(9.96, 1) as number });
  },
);
