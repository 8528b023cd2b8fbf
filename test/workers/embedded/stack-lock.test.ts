import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { FermataError } from '../../../plans/protocol/errors.js';
import { identify } from '../../../workers/embedded/process-identity.js';
import { withLock } from '../../../workers/embedded/stack-lock.js';

const folder = mkdtempSync(join(tmpdir(), 'fermata-lock-'));
const file = join(folder, 'stack.lock');
afterAll(() => rmSync(folder, { recursive: true }));
beforeEach(() => rmSync(file, { force: true }));

describe('withLock', () => {
  it('lets one in at a time, and gives the lock back after a failure', async () => {
    let inside = 0;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 6 }, (_, index) =>
        withLock(file, 20_000, async () => {
          expect(++inside).toBe(1);
          await sleep(5);
          inside -= 1;
          if (index % 2 === 0) throw new Error('planned');
        }),
      ),
    );
    expect(outcomes.filter(({ status }) => status === 'rejected')).toHaveLength(3);
    expect(existsSync(file)).toBe(false);
  });

  it('names the owner when it waits in vain', async () => {
    await withLock(file, 1_000, async () => {
      const failure: unknown = await withLock(file, 100, () => Promise.resolve()).catch((error: unknown) => error);
      expect(FermataError.is(failure, 'StackFailed')).toBe(true);
      expect(String(failure)).toContain(`Process ${process.pid} `);
    });
  });

  const stale: Record<string, () => Promise<string>> = {
    'whose owner was killed': async () => {
      const owner = spawn('sleep', ['60'], { stdio: 'ignore' });
      const identity = identify(owner.pid!);
      owner.kill('SIGKILL');
      await new Promise((resolve) => owner.once('exit', resolve));
      return JSON.stringify(identity);
    },
    'whose pid belongs to another process by now': () =>
      Promise.resolve(JSON.stringify({ ...identify(process.pid), start: 'an earlier boot' })),
    'whose owner was killed before it wrote its name': () => Promise.resolve(''),
  };
  for (const [name, content] of Object.entries(stale)) {
    it(`takes over a lock ${name}, once, for all who wait`, async () => {
      writeFileSync(file, await content());
      const longAgo = new Date(Date.now() - 60_000);
      utimesSync(file, longAgo, longAgo);
      let inside = 0;
      const order = await Promise.all(
        Array.from({ length: 5 }, (_, index) =>
          withLock(file, 20_000, async () => {
            expect(++inside).toBe(1);
            expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(identify(process.pid));
            await sleep(5);
            inside -= 1;
            return index;
          }),
        ),
      );
      expect(order).toHaveLength(5);
      expect(existsSync(file)).toBe(false);
    });
  }

  it('does not take over a young lock without a name: its owner is about to write it', async () => {
    writeFileSync(file, '');
    await expect(withLock(file, 200, () => Promise.resolve())).rejects.toThrow(/starting or stopping/);
    expect(existsSync(file)).toBe(true);
  });
});
