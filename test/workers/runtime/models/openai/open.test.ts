import { afterEach, describe, expect, test } from 'vitest';
import type { OutputType } from '../../../../../plans/operators/output.js';
import { openOpenAi } from '../../../../../workers/runtime/models/openai/open.js';
import { type Endpoint, type EndpointOptions, startEndpoint } from '../../../../support/endpoint.js';
import { endpointModel, never, yesNo } from '../requests.js';

let endpoint: Endpoint | undefined;

async function setUp(options: EndpointOptions, over: Parameters<typeof endpointModel>[1] = {}, env = {}) {
  endpoint = await startEndpoint(options);
  const { model } = await openOpenAi('stub', endpointModel(endpoint.baseUrl, over), { env, modelsDir: '/nowhere' });
  return { model, endpoint };
}

afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

describe('requests', () => {
  test('a typed output is asked for as a JSON schema, free text is not', async () => {
    const { model, endpoint } = await setUp({});
    await model.language!.complete(yesNo('x'), never);
    await model.language!.complete(yesNo('x', { output: { kind: 'string' } }), never);
    expect(endpoint.requests[0]?.body['response_format']).toMatchObject({
      type: 'json_schema',
      json_schema: { strict: true, schema: { required: ['answer'] } },
    });
    expect(endpoint.requests[1]?.body).not.toHaveProperty('response_format');
  });

  test('images and audio are content parts, text alone is a string', async () => {
    const { model, endpoint } = await setUp({});
    const bytes = new Uint8Array([1, 2, 3]);
    await model.language!.complete(
      yesNo('', {
        content: [
          { type: 'text', text: 'what is it' },
          { type: 'image', mediaType: 'image/png', bytes },
          { type: 'audio', mediaType: 'audio/mpeg', bytes },
        ],
      }),
      never,
    );
    await model.language!.complete(yesNo('plain'), never);
    const [first, second] = endpoint.requests.map((request) => request.body['messages'] as { content: unknown }[]);
    expect(first?.[1]?.content).toEqual([
      { type: 'text', text: 'what is it' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
      { type: 'input_audio', input_audio: { data: 'AQID', format: 'mp3' } },
    ]);
    expect(second?.[1]?.content).toBe('plain');
  });

  test('a repair call shows the model its reply and what was wrong', async () => {
    const { model, endpoint } = await setUp({});
    await model.language!.complete(yesNo('x', { repair: { reply: 'maybe', problem: 'not a boolean' } }), never);
    const messages = endpoint.requests[0]?.body['messages'] as { role: string; content: string }[];
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(messages[3]?.content).toBe('not a boolean');
  });

  test('braces, quotes, newlines, emoji and a megabyte of text arrive unchanged', async () => {
    const { model, endpoint } = await setUp({});
    const text = `{"a": "b\\n"}\n'"\u2028 🚗 ${'x'.repeat(1_000_000)}`;
    await model.language!.complete(yesNo(text), never);
    expect(endpoint.requests[0]?.prompt).toBe(text);
  });

  test('the key is read at the time of the call; without one none is sent', async () => {
    const env: Record<string, string> = {};
    const { model, endpoint } = await setUp({}, {}, env);
    await model.language!.complete(yesNo('x'), never);
    env['TEST_KEY'] = 'first';
    await model.language!.complete(yesNo('x'), never);
    env['TEST_KEY'] = ' ';
    await model.language!.complete(yesNo('x'), never);
    expect(endpoint.requests.map(({ headers }) => headers.authorization)).toEqual([
      undefined,
      'Bearer first',
      undefined,
    ]);
  });

  test('connections are kept', async () => {
    const { model, endpoint } = await setUp({});
    for (let at = 0; at < 5; at++) await model.language!.complete(yesNo('x'), never);
    expect(endpoint.counts.connections).toBe(1);
  });

  test('the identity names the model, and the endpoint unless it is OpenAI’s own', async () => {
    const own = await openOpenAi('o', endpointModel('https://api.openai.com/v1'), { env: {}, modelsDir: '' });
    expect(own.model.identity).toBe('openai:stub-1');
    const other = await openOpenAi('o', endpointModel('http://host:8000/v1'), { env: {}, modelsDir: '' });
    expect(other.model.identity).toBe('openai:host:8000/v1/stub-1');
  });
});

describe('fields that a model refuses', () => {
  // docetl/issues/286: an endpoint that rejects response_format or tools
  test.each([
    ['response_format', undefined],
    ['temperature', undefined],
    ['seed', undefined],
    ['logprobs', undefined],
  ])('%s is left out from the second request on', async (field) => {
    const { model, endpoint } = await setUp({ refuse: [field] });
    const request = yesNo('x', { seed: 1, confidence: true });
    await model.language!.complete(request, never);
    await model.language!.complete(request, never);
    expect(endpoint.counts.calls).toBe(3);
    expect(endpoint.requests.every(({ body }) => !(field in body))).toBe(true);
  });

  test('all of them at once', async () => {
    const { model, endpoint } = await setUp({ refuse: ['response_format', 'temperature', 'seed', 'logprobs'] });
    await model.language!.complete(yesNo('x', { seed: 1, confidence: true }), never);
    expect(endpoint.requests).toHaveLength(1);
  });

  test('max_tokens goes under the name that the message asks for', async () => {
    let calls = 0;
    const bodies: Record<string, unknown>[] = [];
    const { model } = await openOpenAi('stub', endpointModel('http://stub.invalid/v1'), {
      env: {},
      modelsDir: '',
      fetch: (_, init) => {
        calls++;
        const body = JSON.parse(init?.body as string) as Record<string, unknown>;
        bodies.push(body);
        return Promise.resolve(
          'max_tokens' in body
            ? Response.json(
                {
                  error: {
                    message: "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
                    param: 'max_tokens',
                  },
                },
                { status: 400 },
              )
            : Response.json({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }),
        );
      },
    });
    await model.language!.complete(yesNo('x'), never);
    await model.language!.complete(yesNo('x'), never);
    expect(calls).toBe(3);
    expect(bodies[2]).toMatchObject({ max_completion_tokens: 32 });
  });

  test('a 422 with a list of details teaches as well', async () => {
    let refused = 0;
    const { model } = await openOpenAi('stub', endpointModel('http://stub.invalid/v1'), {
      env: {},
      modelsDir: '',
      fetch: (_, init) => {
        if (!(init?.body as string).includes('response_format')) {
          return Promise.resolve(Response.json({ choices: [{ message: { content: 'ok' }, finish_reason: 'stop' }] }));
        }
        refused++;
        const detail = [{ loc: ['body', 'response_format'], msg: 'Extra inputs are not permitted' }];
        return Promise.resolve(Response.json({ detail }, { status: 422 }));
      },
    });
    await model.language!.complete(yesNo('x'), never);
    await model.language!.complete(yesNo('x'), never);
    expect(refused).toBe(1);
  });

  test('calls in flight together all come through', async () => {
    const { model, endpoint } = await setUp({ refuse: ['response_format'], latencyMs: 5 });
    await Promise.all(Array.from({ length: 20 }, () => model.language!.complete(yesNo('x'), never)));
    expect(endpoint.requests).toHaveLength(20);
  });

  test('configured from the start, nothing is refused', async () => {
    const { model, endpoint } = await setUp(
      { refuse: ['temperature', 'response_format'] },
      { omit: ['temperature'], jsonSchema: false },
    );
    await model.language!.complete(yesNo('x'), never);
    expect(endpoint.counts.calls).toBe(1);
  });
});

describe('confidence', () => {
  test.each<[string, OutputType, number]>([
    ['{"answer": true}', { kind: 'boolean' }, 1],
    ['{"answer": "brakes"}', { kind: 'string' }, 3],
    ['yes', { kind: 'string' }, 1],
  ])('%s: the tokens of the value count', async (text, output, tokens) => {
    const { model } = await setUp({ answer: () => text, logprob: -0.5 });
    const { confidence } = await model.language!.complete(yesNo('x', { output, confidence: true }), never);
    expect(confidence).toBeCloseTo(Math.exp(-0.5 * tokens), 6);
  });

  test('absent when not asked for', async () => {
    const { model } = await setUp({});
    expect(await model.language!.complete(yesNo('x'), never)).not.toHaveProperty('confidence');
  });
});

describe('embeddings', () => {
  test('unit vectors in the order of the texts, over several requests', async () => {
    const { model, endpoint } = await setUp({ dimensions: 6 }, { task: 'embedding' });
    const texts = Array.from({ length: 300 }, (_, at) => `text ${at}`);
    const { vectors, usage } = await model.embedder!.embed(texts, never);
    expect(vectors).toHaveLength(300);
    expect(model.embedder!.dimensions).toBe(6);
    expect(Math.hypot(...vectors[7]!)).toBeCloseTo(1, 5);
    expect(endpoint.counts.embeddings).toBe(2);
    expect(usage?.inputTokens).toBeGreaterThan(0);
    const alone = await model.embedder!.embed(['text 299'], never);
    expect([...alone.vectors[0]!]).toEqual([...vectors[299]!]);
  });

  test('an endpoint that refuses base64 gives floats, equal ones', async () => {
    const plain = await setUp({ dimensions: 4 }, { task: 'embedding' });
    const expected = await plain.model.embedder!.embed(['a'], never);
    await plain.endpoint.close();
    const { model } = await setUp({ dimensions: 4, refuse: ['encoding_format'] }, { task: 'embedding' });
    const { vectors } = await model.embedder!.embed(['a'], never);
    expect(vectors[0]![0]).toBeCloseTo(expected.vectors[0]![0]!, 5);
  });

  test('no texts, no request', async () => {
    const { model, endpoint } = await setUp({}, { task: 'embedding' });
    expect((await model.embedder!.embed([], never)).vectors).toEqual([]);
    expect(endpoint.counts.calls).toBe(0);
  });
});
