import { expect, test } from 'vitest';
import type { Work } from '../../../cli/services.js';
import { exitCodes, FermataError } from '../../../plans/protocol/errors.js';
import { fakeCli, type FakeCliOptions } from '../../support/fake-cli.js';

/** The command with a service in place of the processes, which test/e2e/worker.test.ts starts for real. */

const temporal = { address: 'cloud:7233', namespace: 'films' };

function started(drain: 'drains' | 'hangs', options: FakeCliOptions = {}) {
  const asked: Work[] = [];
  const cli = fakeCli({
    settings: { temporal },
    services: {
      work(_settings, _place, work) {
        asked.push(work);
        for (const name of work.workers) work.onReady(name);
        return new Promise((resolve) => {
          if (drain === 'drains') work.stop.addEventListener('abort', () => resolve());
        });
      },
    },
    ...options,
  });
  const run = async (...args: string[]) => {
    const exit = cli.run('worker', ...args);
    await expect.poll(() => asked.length).toBe(1);
    return { exit, work: asked[0]! };
  };
  return { cli, run };
}

test.each(['SIGTERM', 'Ctrl-C'])('%s drains the workers', async (signal) => {
  const { cli, run } = started('drains');
  const { exit, work } = await run();
  expect(work.workers).toEqual(['workflow', 'cpu', 'inference']);
  expect(work.stop.aborted).toBe(false);
  if (signal === 'SIGTERM') cli.terminate();
  else cli.pressCtrlC();
  expect(await exit).toBe(exitCodes.ok);
  expect(cli.listening()).toBe(0);
  expect(cli.stdout.text()).toBe('');
  expect(cli.stderr.text()).toMatch(
    /working for cloud:7233, namespace films\n.*workflow worker is ready\n[^]*stopping/,
  );
});

test('a second Ctrl-C does not wait for them', async () => {
  const { cli, run } = started('hangs');
  const { exit } = await run();
  cli.pressCtrlC();
  cli.pressCtrlC();
  expect(await exit).toBe(exitCodes.interrupted);
  expect(cli.listening()).toBe(0);
});

test('the kinds named, each once', async () => {
  const { cli, run } = started('drains');
  const { exit, work } = await run('inference', 'cpu', 'cpu');
  expect(work.workers).toEqual(['cpu', 'inference']);
  cli.terminate();
  expect(await exit).toBe(exitCodes.ok);
});

test('a server that refuses ends the command', async () => {
  const refused = new FermataError('ServerRefused', 'no');
  const cli = fakeCli({ settings: { temporal }, services: { work: () => Promise.reject(refused) } });
  expect(await cli.run('worker')).toBe(exitCodes.unreachable);
  expect(cli.listening()).toBe(0);
});
