import { describe, expect, it } from 'vitest';
import { FermataError, exitCodes } from '../../../plans/protocol/errors.js';
import { queues } from '../../../plans/protocol/queues.js';
import type { Services } from '../../../cli/services.js';
import type { Settings } from '../../../workers/config/settings.js';
import { fakeCli } from '../../support/fake-cli.js';

const local = (weights: string): Settings['models'][string] => ({
  kind: 'llama',
  weights,
  modalities: ['text'],
  limits: { concurrency: 1 },
});
const remote: Settings['models'][string] = {
  kind: 'openai',
  model: 'gpt',
  task: 'chat',
  baseUrl: 'http://models.test/v1/',
  apiKeyEnv: 'KEY',
  timeoutMs: 1,
  omit: [],
  jsonSchema: true,
  modalities: ['text'],
  limits: { concurrency: 1 },
};

const asked: Request[] = [];
const bytes = new Map<string, Uint8Array>();
const store = {
  put: (value: Uint8Array) => {
    bytes.set('h', value);
    return Promise.resolve('h');
  },
  get: () => Promise.resolve(bytes.get('h')!),
};
const listing = (name: string, state: 'ready' | 'partial' | 'missing') => ({
  name,
  task: 'chat' as const,
  title: '',
  licence: '',
  bytes: 1,
  state,
});

/** Everything well: an external server with workers, weights that are here, an endpoint that answers. */
const healthy: Partial<Services> = {
  stack: () => Promise.resolve({ state: 'external', address: 'h:1', namespace: 'n' }),
  pollers: () => Promise.resolve(Object.values(queues).map((queue) => ({ queue, workers: 1 }))),
  duckdbVersion: () => Promise.resolve('v1'),
  store: () => Promise.resolve(store as never),
  ledger: () =>
    Promise.resolve({
      stats: () => Promise.resolve({ answers: 3, bytes: 2000, usd: 0 }),
      close: () => Promise.resolve(),
    } as never),
  weights: () =>
    Promise.resolve([
      listing('small-weights', 'ready'),
      listing('mini-weights', 'ready'),
      listing('big-weights', 'missing'),
    ]),
  fetch: (input, init) => {
    asked.push(new Request(input, init));
    return Promise.resolve(new Response('{}'));
  },
};
const models = { small: local('small-weights'), minilm: local('mini-weights'), big: local('big-weights'), far: remote };

async function doctor(change: Partial<Services> = {}, settings: Partial<Settings> = {}, env = { KEY: 'secret' }) {
  const cli = fakeCli({ services: { ...healthy, ...change }, settings: { models, ...settings }, env });
  const exit = await cli.run('doctor', '--json');
  const report = JSON.parse(cli.stdout.text()) as {
    checks: { name: string; ok: boolean; detail: string; hint?: string }[];
  };
  return { exit, row: (name: string) => report.checks.find((check) => check.name === name)!, text: cli.stdout.text() };
}

describe('doctor', () => {
  it('is content when all that is required is there; the rest are warnings', async () => {
    const { exit, row } = await doctor();
    expect(exit).toBe(0);
    expect(row('model big')).toMatchObject({ ok: false, hint: 'fermata models pull big-weights' });
  });

  it.each<[string, Partial<Services>]>([
    ['Temporal server', { pollers: () => Promise.reject(new FermataError('ServerUnreachable', 'no')) }],
    [
      'Temporal server',
      {
        stack: () => Promise.resolve({ state: 'down', home: '/h' }),
        serverBinary: () => Promise.reject(new FermataError('ServerBinaryMissing', 'no')),
      },
    ],
    ['workers', { pollers: () => Promise.resolve([{ queue: queues.workflows, workers: 1 }]) }],
    ['store', { store: () => Promise.reject(new FermataError('StoreUnreachable', 'read-only')) }],
    ['store', { store: () => Promise.resolve({ ...store, get: () => Promise.resolve(new Uint8Array()) } as never) }],
    ['ledger', { ledger: () => Promise.reject(new FermataError('StoreUnreachable', 'locked')) }],
    ['DuckDB', { duckdbVersion: () => Promise.reject(new Error('no binding')) }],
    [
      'model small',
      { weights: () => Promise.resolve([listing('small-weights', 'partial'), listing('mini-weights', 'ready')]) },
    ],
  ])('fails by %s alone', async (name, change) => {
    const { exit, row, text } = await doctor(change);
    expect(exit).toBe(exitCodes.failed);
    expect(row(name).ok).toBe(false);
    expect(text).toContain('model far');
  });

  it('a stack that is not running is no fault: any query starts it', async () => {
    const { exit } = await doctor({
      stack: () => Promise.resolve({ state: 'down', home: '/h' }),
      serverBinary: () => Promise.resolve('/bin/temporal'),
    });
    expect(exit).toBe(0);
  });

  it.each([
    [200, true],
    [404, true],
    [401, false],
    [500, false],
  ])('an endpoint that answers %d to GET models is fine: %s', async (status, ok) => {
    const { row } = await doctor({ fetch: () => Promise.resolve(new Response('', { status })) });
    expect(row('model far').ok).toBe(ok);
  });

  it('an endpoint that cannot be reached is told with its address', async () => {
    const { row } = await doctor({ fetch: () => Promise.reject(new TypeError('refused')) });
    expect(row('model far')).toMatchObject({
      ok: false,
      detail: expect.stringContaining('http://models.test/v1/') as string,
    });
  });

  it('asks endpoints for their models only, and prints no key', async () => {
    asked.length = 0;
    const { text } = await doctor();
    expect(asked.map((request) => `${request.method} ${request.url}`)).toEqual(['GET http://models.test/v1/models']);
    expect(asked[0]?.headers.get('authorization')).toBe('Bearer secret');
    expect(text).not.toContain('secret');
  });
});
