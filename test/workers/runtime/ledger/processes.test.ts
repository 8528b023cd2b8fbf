import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { openLmdbLedger } from '../../../../workers/runtime/ledger/lmdb.js';
import { transpile } from '../../../support/transpile.js';

let js: { readonly dir: string; readonly entry: string };
let dir: string;
const children: ChildProcess[] = [];

beforeAll(() => {
  js = transpile('test/workers/runtime/ledger/child.ts');
});
afterAll(() => rmSync(js.dir, { recursive: true, force: true }));
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fermata-ledger-'));
});
afterEach(async () => {
  await Promise.all(children.splice(0).map(kill));
  rmSync(dir, { recursive: true, force: true });
});

function start(holder: string, mode: string): ChildProcess {
  const child = spawn(process.execPath, [js.entry, dir, 'run', holder, mode], { stdio: ['ignore', 'pipe', 'inherit'] });
  children.push(child);
  return child;
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'close');
}

async function firstLine(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) return line;
  throw new Error('the child ended without a word');
}

test('three processes share a budget of 100 calls exactly; what a killed one held is free after open', async () => {
  const workers = ['a', 'b', 'c'].map((holder) => start(holder, 'reserveUntilRefused'));
  const granted = (await Promise.all(workers.map(firstLine))).map(Number);
  expect(granted.reduce((sum, each) => sum + each)).toBe(100);

  const ledger = openLmdbLedger({ dir });
  const again = { runId: 'run', holder: 'b' };
  const ask = { usd: 0.01, tokens: 10 };
  await kill(workers[1]!);
  expect(await ledger.reserve(again, ask, { calls: 100 })).toBe(false);
  await ledger.open(again);
  let free = 0;
  while (await ledger.reserve(again, ask, { calls: 100 })) free += 1;
  expect(free).toBe(granted[1]);
  await ledger.close();
});

test('no acknowledged answer and no counter is lost when processes are killed while they settle', async () => {
  const ledger = openLmdbLedger({ dir });
  const acknowledged: string[] = [];
  for (const until of [1, 40, 300, 700]) {
    const workers = ['a', 'b'].map((holder) => start(holder, 'settleForEver'));
    await Promise.all(
      workers.map(async (child) => {
        let seen = 0;
        for await (const line of createInterface({ input: child.stdout! })) {
          // A line may be cut by the kill; the key then was acknowledged but is not known here.
          if (line.length === 64) acknowledged.push(line);
          seen += 1;
          if (seen === until) child.kill('SIGKILL');
        }
      }),
    );
  }
  const found = await ledger.lookup(acknowledged);
  expect(found.filter((answer) => answer === undefined)).toEqual([]);

  // Keys never repeat, so every call counted has its answer and the other way round: they are committed together.
  const spend = await ledger.spend('run');
  const { answers } = await ledger.stats();
  expect(answers).toBe(spend.calls);
  expect(answers).toBeGreaterThanOrEqual(acknowledged.length);
  expect(spend.inputTokens).toBe(7 * spend.calls);
  expect(Math.round(spend.usd * 100)).toBe(spend.calls);
  expect(await ledger.spend('run', 'f0')).toEqual(spend);

  // What the dead left in `live` reaches the disk, whoever closes last.
  await ledger.close();
  const reopened = openLmdbLedger({ dir });
  expect(await reopened.spend('run')).toEqual(spend);
  expect((await reopened.stats()).answers).toBe(answers);
  await reopened.close();
});
