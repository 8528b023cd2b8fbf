import { describe, expect, it } from 'vitest';
import { FermataError, exitCodes } from '../../../plans/protocol/errors.js';
import type { LoadedSettings } from '../../../workers/config/load.js';
import type { Settings } from '../../../workers/config/settings.js';
import type { StackStatus } from '../../../workers/embedded/stack.js';
import { fakeCli, fakeSettings } from '../../support/fake-cli.js';

const models: Settings['models'] = {
  small: {
    kind: 'llama',
    weights: 'small-weights',
    modalities: ['text'],
    price: { unit: 'hour', usdPerHour: 0 },
    limits: { concurrency: 1 },
  },
  minilm: {
    kind: 'onnx',
    weights: 'mini-weights',
    executionProviders: ['cpu'],
    modalities: ['text'],
    limits: { concurrency: 1 },
  },
};
const ready: StackStatus = {
  id: 's',
  state: 'ready',
  address: '127.0.0.1:7',
  namespace: 'default',
  uiUrl: 'http://127.0.0.1:8',
  fingerprint: 'f',
  versions: { fermata: '1', node: '20', temporal: '1' },
  supervisorPid: 1,
  startedAt: '1970-01-01T00:00:00Z',
  processes: [
    { name: 'cpu', state: 'ready', pid: 5, restarts: 2, lastExit: 'signal SIGKILL', log: '/l', lastLines: [] },
  ],
};

describe('the stack', () => {
  it.each<[StackStatus, number]>([
    [{ state: 'down', home: '/h' }, exitCodes.unreachable],
    [{ state: 'stale', home: '/h', leftovers: ['server (pid 3)'] }, exitCodes.unreachable],
    [{ state: 'external', address: 'h:1', namespace: 'n' }, 0],
    [ready, 0],
  ])('status of $state', async (status, exit) => {
    const cli = fakeCli({ services: { stack: () => Promise.resolve(status) } });
    expect(await cli.run('status', '--json')).toBe(exit);
    expect(JSON.parse(cli.stdout.text())).toEqual({ schema: 'fermata/stack/1', ...status });
  });

  it('up tells its steps on stderr and the state on stdout', async () => {
    const cli = fakeCli({
      services: {
        up: (_settings, _place, note) => {
          note('starting');
          return Promise.resolve(ready);
        },
      },
    });
    expect(await cli.run('up')).toBe(0);
    expect(cli.stderr.text()).toBe('starting\n');
    expect(cli.stdout.text()).toMatch(/ready · server 127\.0\.0\.1:7.*\n.*\ncpu +ready +5 +2 +signal SIGKILL/s);
  });

  it('up fails as the stack says', async () => {
    const cli = fakeCli({ services: { up: () => Promise.reject(new FermataError('StackFailed', 'no port')) } });
    expect(await cli.run('up')).toBe(exitCodes.unreachable);
  });

  it.each([true, false])('down, something was running: %s', async (stopped) => {
    const cli = fakeCli({ services: { down: () => Promise.resolve(stopped) } });
    expect(await cli.run('down', '--json')).toBe(0);
    expect(JSON.parse(cli.stdout.text())).toEqual({ schema: 'fermata/down/1', stopped });
  });
});

describe('models', () => {
  it('pulls the weights of the default models when none is named, and of a model by its name', async () => {
    const pulled: string[] = [];
    const services = {
      pull: (name: string, options: { readonly dir: string }) => {
        pulled.push(`${name} into ${options.dir}`);
        return Promise.resolve([]);
      },
    };
    await fakeCli({ services, settings: { models } }).run('models', 'pull');
    await fakeCli({ services, settings: { models } }).run('models', 'pull', 'small', 'other-weights');
    expect(pulled).toEqual(
      ['small-weights', 'mini-weights', 'small-weights', 'other-weights'].map((name) => `${name} into /models`),
    );
  });

  it('shows progress of a pull on stderr', async () => {
    const cli = fakeCli({
      settings: { models },
      services: {
        pull: (name, { onProgress }) => {
          for (const doneBytes of [1e6, 4e6])
            onProgress?.({ name, file: 'f', doneBytes, totalBytes: 4e6, note: 'from the hub' });
          return Promise.resolve([]);
        },
      },
    });
    await cli.run('models', 'pull', 'small');
    expect(cli.stderr.text()).toContain('small-weights: 1.0 MB of 4.0 MB (25 %) from the hub');
    expect(cli.stderr.text()).toContain('small-weights is ready');
    expect(cli.stdout.text()).toBe('');
  });

  it('verify ends with the fault of the first that is not whole', async () => {
    const services = { verify: () => Promise.reject(new FermataError('WeightsCorrupt', 'other bytes')) };
    expect(await fakeCli({ services, settings: { models } }).run('models', 'verify')).toBe(exitCodes.failed);
  });

  it('lists models with their state, and says when a price is unknown', async () => {
    const listing = {
      name: 'small-weights',
      task: 'chat' as const,
      title: 'Small',
      licence: 'MIT',
      bytes: 5e8,
      state: 'partial' as const,
    };
    const cli = fakeCli({ settings: { models }, services: { weights: () => Promise.resolve([listing]) } });
    expect(await cli.run('models', 'list')).toBe(0);
    expect(cli.stdout.text()).toMatch(/small +llama +llm +partial +\$0\/hour +small-weights/);
    expect(cli.stdout.text()).toMatch(/minilm +onnx +embedder +file +price unknown/);
    expect(cli.stdout.text()).toMatch(/small-weights +chat +partial +500 MB +MIT +Small/);
  });
});

describe('cache', () => {
  function ledger() {
    const calls: string[] = [];
    const fake = {
      stats: () => Promise.resolve({ answers: 2, bytes: 1500, usd: 0.25 }),
      clear: () => {
        calls.push('clear');
        return Promise.resolve(2);
      },
      close: () => {
        calls.push('close');
        return Promise.resolve();
      },
    };
    return { calls, services: { ledger: () => Promise.resolve(fake as never) } };
  }

  it('stats', async () => {
    const { calls, services } = ledger();
    const cli = fakeCli({ services });
    expect(await cli.run('cache', 'stats')).toBe(0);
    expect(cli.stdout.text()).toBe('2 answers · 1.5 kB · $0.2500 paid for them\n');
    expect(calls).toEqual(['close']);
  });

  it.each([
    [['--yes'], undefined, 0, ['clear', 'close']],
    [[], 'y', 0, ['clear', 'close']],
    [[], 'n', exitCodes.needsConfirmation, []],
    [[], undefined, exitCodes.usage, []],
  ])('clear %j answered %j', async (flags, answer, exit, expected) => {
    const { calls, services } = ledger();
    const cli = fakeCli({ services, ...(answer === undefined ? {} : { answer }) });
    expect(await cli.run('cache', 'clear', ...flags)).toBe(exit);
    expect(calls).toEqual(expected);
  });
});

it('config show --origin tells where each value comes from', async () => {
  const loaded: LoadedSettings = {
    settings: { ...fakeSettings, models },
    origins: {
      modelsDir: { kind: 'env', from: 'FERMATA_MODELS_DIR' },
      'limits.confirmAboveUsd': { kind: 'file', from: '/project/fermata.yaml:3' },
      'models.small': { kind: 'default' },
    },
  };
  const cli = fakeCli({ services: { settings: () => Promise.resolve(loaded) } });
  expect(await cli.run('config', 'show', '--origin')).toBe(0);
  expect(cli.stdout.text()).toMatch(/^modelsDir +\/models +env FERMATA_MODELS_DIR$/m);
  expect(cli.stdout.text()).toMatch(/^limits\.confirmAboveUsd +1 +file \/project\/fermata\.yaml:3$/m);
  expect(cli.stdout.text()).toMatch(/^models\.small\.weights +small-weights +default$/m);
});
