import { getEventListeners } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { CallErrorCode } from '../../../../../plans/protocol/call-errors.js';
import { CallError } from '../../../../../plans/protocol/call-errors.js';
import { openOpenAi } from '../../../../../workers/runtime/models/openai/open.js';
import { type Endpoint, type EndpointOptions, type FaultRule, startEndpoint } from '../../../../support/endpoint.js';
import { endpointModel, never, yesNo } from '../requests.js';

const key = 'sk-test-0123456789abcdef';
const secretText = 'The vehicle of Ms Quartermaine crashed near Tulsa on the third of May.';
let endpoint: Endpoint | undefined;

async function setUp(options: EndpointOptions, over: Parameters<typeof endpointModel>[1] = {}) {
  endpoint = await startEndpoint(options);
  const settings = endpointModel(endpoint.baseUrl, over);
  const { model } = await openOpenAi('stub', settings, { env: { TEST_KEY: key }, modelsDir: '/nowhere' });
  return { model, language: model.language!, endpoint };
}

async function failure(promise: Promise<unknown>): Promise<CallError> {
  const error: unknown = await promise.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof CallError)) throw new Error(`expected a CallError, got ${String(error)}`);
  return error;
}

afterEach(async () => {
  await endpoint?.close();
  endpoint = undefined;
});

const rows: readonly (readonly [FaultRule['kind'], CallErrorCode])[] = [
  ['500', 'serverError'],
  ['501', 'badRequest'],
  ['503', 'serverError'],
  ['408', 'serverError'],
  ['409', 'serverError'],
  ['429', 'rateLimited'],
  ['401', 'auth'],
  ['403', 'auth'],
  ['404', 'modelNotFound'],
  ['400', 'badRequest'],
  ['context', 'contextTooLong'],
  ['cut', 'connection'],
  ['cutBody', 'connection'],
  ['html', 'notJson'],
  ['badJson', 'notJson'],
  ['emptyBody', 'emptyReply'],
  ['noChoices', 'emptyReply'],
  ['nullContent', 'emptyReply'],
  ['emptyContent', 'emptyReply'],
  ['length', 'truncated'],
  ['contentFilter', 'contentFilter'],
  ['refusal', 'contentFilter'],
];

describe('every fault of an endpoint is a CallError of its kind', () => {
  test.each(rows)('%s is %s', async (kind, code) => {
    const { language, endpoint } = await setUp({ faults: [{ kind, calls: [1] }] });
    const error = await failure(language.complete(yesNo(secretText), never));
    expect(error.code).toBe(code);
    expect(error.message).not.toContain(key);
    expect(error.message).not.toContain('Quartermaine');
    // No retry of its own, and the next call works.
    expect(endpoint.counts.calls).toBe(1);
    await expect(language.complete(yesNo(secretText), never)).resolves.toMatchObject({ text: '{"answer": true}' });
  });

  test('a reply that hangs is a timeout', async () => {
    const { language } = await setUp({ faults: [{ kind: 'hang' }] }, { timeoutMs: 100 });
    expect((await failure(language.complete(yesNo('x'), never))).code).toBe('timeout');
  });

  test('a body that hangs after its headers is a timeout', async () => {
    const server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{'));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const settings = endpointModel(`http://127.0.0.1:${port}/v1`, { timeoutMs: 100 });
    const { model } = await openOpenAi('stub', settings, { env: {}, modelsDir: '' });
    expect((await failure(model.language!.complete(yesNo('x'), never))).code).toBe('timeout');
    server.close();
  });

  test('nobody listening is a connection fault that names it', async () => {
    const { language, endpoint } = await setUp({});
    await endpoint.close();
    const error = await failure(language.complete(yesNo('x'), never));
    expect(error.code).toBe('connection');
    expect(error.message).toContain('ECONNREFUSED');
  });

  test.each([
    ['nobody listens', 'ECONNREFUSED', true],
    ['no such host', 'ENOTFOUND', true],
    ['no answer of the name server', 'EAI_AGAIN', true],
    ['a certificate that is not trusted', 'DEPTH_ZERO_SELF_SIGNED_CERT', true],
    ['a certificate of another host', 'ERR_TLS_CERT_ALTNAME_INVALID', true],
    ['TLS spoken to a plain server', 'EPROTO', true],
    ['no HTTP', 'HPE_INVALID_CONSTANT', true],
    ['cut', 'ECONNRESET', false],
    ['closed while writing', 'EPIPE', false],
    ['lost on the way', 'ETIMEDOUT', false],
  ])('a connection that is not made is told from one that is lost: %s', async (_what, code, absent) => {
    const { model } = await openOpenAi('stub', endpointModel('http://127.0.0.1:1/v1'), {
      env: {},
      modelsDir: '',
      fetch: () => Promise.reject(Object.assign(new Error('fetch failed'), { code })),
    });
    expect(await failure(model.language!.complete(yesNo('x'), never))).toMatchObject({ code: 'connection', absent });
  });

  test.each([
    ['html', true],
    ['badJson', false],
    ['500', false],
    ['cut', false],
  ] as const)('a reply of %s says whether a model is there', async (kind, absent) => {
    const { language } = await setUp({ faults: [{ kind }] });
    expect((await failure(language.complete(yesNo('x'), never))).absent).toBe(absent);
  });

  test('an unknown path answered with 404 and no JSON says to check baseUrl', async () => {
    const started = await startEndpoint({});
    endpoint = started;
    const settings = endpointModel(`http://127.0.0.1:${started.port}/wrong`);
    const opened = await openOpenAi('stub', settings, {
      env: {},
      modelsDir: '',
      fetch: () => Promise.resolve(new Response('404 page not found', { status: 404 })),
    });
    const error = await failure(opened.model.language!.complete(yesNo('x'), never));
    expect(error.code).toBe('modelNotFound');
    expect(error.message).toContain('baseUrl');
  });

  test('billed tokens of a useless reply are kept', async () => {
    const { language } = await setUp({ faults: [{ kind: 'length' }] });
    const error = await failure(language.complete(yesNo('x'), never));
    expect(error.usage?.inputTokens).toBeGreaterThan(0);
  });

  test('the request id is in the message', async () => {
    const { language } = await setUp({ faults: [{ kind: '500' }] });
    expect((await failure(language.complete(yesNo('x'), never))).message).toContain('req_test');
  });
});

describe('Retry-After', () => {
  test.each([
    [{ 'retry-after': '2' }, 2000, 2000],
    [{ 'retry-after-ms': '150' }, 150, 150],
    [{ 'retry-after-ms': '150', 'retry-after': '9' }, 150, 150],
    [{ 'retry-after': new Date(Date.now() + 30_000).toUTCString() }, 20_000, 30_000],
    [{ 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }, 0, 0],
    [{ 'retry-after': '999999' }, 600_000, 600_000],
  ])('%j', async (headers, least, most) => {
    const { language } = await setUp({ faults: [{ kind: '429', headers: headers }] });
    const { retryAfterMs } = await failure(language.complete(yesNo('x'), never));
    expect(retryAfterMs).toBeGreaterThanOrEqual(least);
    expect(retryAfterMs).toBeLessThanOrEqual(most);
  });

  test.each([{}, { 'retry-after': '' }, { 'retry-after': 'soon' }])('absent or unreadable: %j', async (headers) => {
    const { language } = await setUp({ faults: [{ kind: '429', headers: headers }] });
    expect((await failure(language.complete(yesNo('x'), never))).retryAfterMs).toBeUndefined();
  });
});

describe('replies that are usable all the same', () => {
  // github.com/mitdbg/palimpzest/issues/172
  test.each(['noUsage', 'nullUsage'] as const)('%s: no usage, no error', async (kind) => {
    const { language } = await setUp({ faults: [{ kind }] });
    const reply = await language.complete(yesNo('x'), never);
    expect(reply.text).toBe('{"answer": true}');
    expect(reply.usage).toBeUndefined();
  });

  test('garbage is passed on: decoding is not the backend’s job', async () => {
    const { language } = await setUp({ faults: [{ kind: 'garbage' }] });
    expect((await language.complete(yesNo('x'), never)).text).toBe('lorem }{ ipsum');
  });

  test('usage is reported', async () => {
    const { language } = await setUp({});
    expect((await language.complete(yesNo('x'), never)).usage).toEqual({
      inputTokens: expect.any(Number) as number,
      outputTokens: 4,
    });
  });
});

describe('cancellation', () => {
  test('the caller’s reason comes back, the call ends, and no listener stays', async () => {
    const { language } = await setUp({ faults: [{ kind: 'hang', calls: [1] }] });
    const control = new AbortController();
    const call = language.complete(yesNo('x'), control.signal);
    setTimeout(() => control.abort(new Error('run cancelled')), 50);
    await expect(call).rejects.toThrow('run cancelled');
    const other = new AbortController();
    for (let at = 0; at < 20; at++) await language.complete(yesNo('x'), other.signal);
    expect(getEventListeners(other.signal, 'abort')).toHaveLength(0);
  });
});

describe('an error echoing prompt or key', () => {
  test.each([
    ['the prompt', `cannot parse: ${secretText}`],
    ['a part of the prompt', 'cannot parse "Quartermaine crashed near"'],
    ['the key', `bad key ${key}`],
  ])('%s stays out of the message', async (_, message) => {
    const settings = endpointModel('http://stub.invalid/v1');
    const { model } = await openOpenAi('stub', settings, {
      env: { TEST_KEY: key },
      modelsDir: '',
      fetch: () => Promise.resolve(Response.json({ error: { message } }, { status: 400 })),
    });
    const error = await failure(model.language!.complete(yesNo(secretText), never));
    expect(error.message).not.toContain('Quartermaine');
    expect(error.message).not.toContain(key);
    expect(error.code).toBe('badRequest');
  });
});

test('an upstream failure inside a reply with status 200', async () => {
  const settings = endpointModel('http://stub.invalid/v1');
  const { model } = await openOpenAi('stub', settings, {
    env: {},
    modelsDir: '',
    fetch: () => Promise.resolve(Response.json({ error: { message: 'slow down', code: 429 } })),
  });
  expect((await failure(model.language!.complete(yesNo('x'), never))).code).toBe('rateLimited');
});

test('a used-up quota ends the run instead of being tried again', async () => {
  const settings = endpointModel('http://stub.invalid/v1');
  const { model } = await openOpenAi('stub', settings, {
    env: {},
    modelsDir: '',
    fetch: () =>
      Promise.resolve(Response.json({ error: { message: 'x', code: 'insufficient_quota' } }, { status: 429 })),
  });
  expect((await failure(model.language!.complete(yesNo('x'), never))).fate).toBe('fatal');
});
