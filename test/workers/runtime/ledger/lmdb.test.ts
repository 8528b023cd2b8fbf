import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { open as openLmdb } from 'lmdb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, CallResult, Ledger, Reservation } from '../../../../activities/ports.js';
import type { JsonValue } from '../../../../plans/protocol/json.js';
import { openLedger } from '../../../../workers/runtime/ledger/open.js';

let dir: string;
let ledger: Ledger;
const open = () => openLedger({ kind: 'lmdb', dir });

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'fermata-ledger-'));
  ledger = open();
});
afterEach(async () => {
  await ledger.close();
  rmSync(dir, { recursive: true, force: true });
});

const keyOf = (text: string) => createHash('sha256').update(text).digest('hex');
const holderOf = (holder: string, runId = 'run'): Reservation => ({ runId, holder });
const ask = { usd: 0.1, tokens: 100 };

function answerOf(value: JsonValue): Answer {
  return { value, usage: { inputTokens: 20, outputTokens: 4 }, usd: 0.05, ms: 12.5, runId: 'run' };
}

function bought(text: string, change: Partial<CallResult> = {}): CallResult {
  const answer = answerOf(text);
  return { key: keyOf(text), answer, usage: answer.usage, usd: answer.usd, retry: false, ...change };
}

/** Through a close and an open: everything is read from the disk. */
async function reopen(): Promise<void> {
  await ledger.close();
  ledger = open();
}

describe('answers', () => {
  test('come back as they were, in the order of the keys, before and after the disk has them', async () => {
    const values = fc.oneof(
      fc.json().map((text) => JSON.parse(text) as JsonValue),
      fc.string({ unit: 'binary' }),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(values, fc.option(fc.double({ min: 0, max: 1, noNaN: true })))),
        async (all) => {
          const answers = all.map(([value, confidence]) => {
            const answer = { ...answerOf(value), usd: 0.000123, ...(confidence === null ? {} : { confidence }) };
            return JSON.parse(JSON.stringify(answer)) as Answer;
          });
          const keys = answers.map((_, index) => keyOf(`k${String(index)}`));
          await Promise.all(
            answers.map((answer, index) =>
              ledger.settle(holderOf('h'), 'f0', ask, { key: keys[index]!, answer, usage: answer.usage, retry: false }),
            ),
          );
          expect(await ledger.lookup([...keys, keyOf('none')])).toEqual([...answers, undefined]);
          await reopen();
          expect(await ledger.lookup([keyOf('none'), ...keys])).toEqual([undefined, ...answers]);
        },
      ),
      { numRuns: 15 },
    );
  });

  test('one call may bring several answers, and counts once', async () => {
    const others = ['b', 'c'].map((text) => ({ key: keyOf(text), answer: answerOf(text) }));
    await ledger.settle(holderOf('h'), 'c0', ask, bought('a', { others }));
    for (let time = 0; time < 2; time++) {
      const found = await ledger.lookup(['a', 'b', 'c'].map(keyOf));
      expect(found.map((answer) => answer?.value)).toEqual(['a', 'b', 'c']);
      expect(await ledger.spend('run')).toMatchObject({ calls: 1, inputTokens: 20, usd: 0.05 });
      await reopen();
    }
  });

  test('a second settle of a key replaces the answer and counts as another call', async () => {
    await ledger.settle(holderOf('h'), 'f0', ask, bought('a'));
    await reopen();
    await ledger.settle(holderOf('h'), 'f0', ask, bought('a', { answer: answerOf('better'), retry: true }));
    expect((await ledger.lookup([keyOf('a')]))[0]?.value).toBe('better');
    expect(await ledger.spend('run')).toMatchObject({ calls: 2, retries: 1, usd: 0.1 });
    expect((await ledger.stats()).answers).toBe(1);
    await reopen();
    expect((await ledger.lookup([keyOf('a')]))[0]?.value).toBe('better');
    expect((await ledger.stats()).answers).toBe(1);
  });

  test('clear removes answers wherever they are, counts each once, and leaves the spend', async () => {
    for (const text of ['a', 'b', 'c']) await ledger.settle(holderOf('h'), 'f0', ask, bought(text));
    await reopen();
    await ledger.settle(holderOf('h'), 'f0', ask, bought('c'));
    await ledger.settle(holderOf('h'), 'f0', ask, bought('d'));
    const spend = await ledger.spend('run');
    expect(await ledger.clear()).toBe(4);
    expect(await ledger.lookup(['a', 'b', 'c', 'd'].map(keyOf))).toEqual([undefined, undefined, undefined, undefined]);
    await reopen();
    expect((await ledger.stats()).answers).toBe(0);
    expect(await ledger.spend('run')).toEqual(spend);
    expect((await ledger.stats()).usd).toBe(0.25);
  });
});

describe('spend', () => {
  test('adds up exactly where floating point would drift', async () => {
    const result = (index: number) => bought(`r${String(index)}`, { usd: 0.1 });
    await Promise.all(
      Array.from({ length: 1000 }, (_, index) => ledger.settle(holderOf('h'), 'f0', ask, result(index))),
    );
    expect((await ledger.spend('run')).usd).toBe(100);
  });

  test('is kept by run and operator; a failed call costs, an unpriced one is counted apart', async () => {
    const { key, usage, retry, usd } = bought('x');
    const failed = { key, usage, retry, usd: usd ?? 0 };
    const unpriced = { key: keyOf('y'), answer: answerOf('y'), usage, retry };
    await ledger.settle(holderOf('h'), 'f0', ask, failed);
    await ledger.settle(holderOf('h'), 'c0', ask, unpriced);
    await ledger.settle(holderOf('h', 'other'), 'f0', ask, bought('z'));
    expect(await ledger.spend('run', 'f0')).toMatchObject({ calls: 1, usd: 0.05, unpriced: 0, inputTokens: 20 });
    expect(await ledger.spend('run', 'c0')).toMatchObject({ calls: 1, usd: 0, unpriced: 1, outputTokens: 4 });
    expect(await ledger.spend('run')).toMatchObject({ calls: 2, usd: 0.05, unpriced: 1, inputTokens: 40 });
    expect(await ledger.spend('run', 'unknown')).toMatchObject({ calls: 0, usd: 0, answered: 0 });
    expect(await ledger.lookup([failed.key])).toEqual([undefined]);
  });

  test('a tally replaces what its holder said before, also after a restart', async () => {
    const tally = { answered: 10, cached: 4, savedUsd: 0.4, failed: 1 };
    await ledger.tally(holderOf('p1'), 'f0', tally);
    await ledger.tally(holderOf('p2'), 'f0', tally);
    await reopen();
    await ledger.tally(holderOf('p1'), 'f0', { answered: 12, cached: 3, savedUsd: 0.3, failed: 0 });
    expect(await ledger.spend('run', 'f0')).toMatchObject({
      answered: 22,
      cached: 7,
      savedUsd: 0.7,
      failed: 1,
      calls: 0,
    });
    expect(await ledger.spend('run')).toMatchObject({ answered: 22, cached: 7, savedUsd: 0.7, failed: 1 });
  });
});

describe('reservations', () => {
  test('agree with a simple model for any sequence of operations by several holders, and never pass a limit', async () => {
    const limits = { usd: 1, calls: 12, tokens: 2000 };
    const step = fc.record({
      what: fc.constantFrom('reserve', 'reserve', 'settle', 'open', 'reopen'),
      holder: fc.constantFrom('a', 'b', 'c'),
      cents: fc.integer({ min: 0, max: 30 }),
      tokens: fc.integer({ min: 0, max: 600 }),
    });
    let run = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const runId = `model-${String((run += 1))}`;
        const held: Record<string, { cents: number; tokens: number }[]> = { a: [], b: [], c: [] };
        const spent = { calls: 0, cents: 0, tokens: 0 };
        const sum = () => Object.values(held).flat();
        for (const { what, holder, cents, tokens } of steps) {
          const mine = held[holder]!;
          const reservation = holderOf(holder, runId);
          if (what === 'reserve') {
            const all = sum();
            const fits =
              spent.calls + all.length + 1 <= limits.calls &&
              spent.cents + all.reduce((total, each) => total + each.cents, cents) <= limits.usd * 100 &&
              spent.tokens + all.reduce((total, each) => total + each.tokens, tokens) <= limits.tokens;
            expect(await ledger.reserve(reservation, { usd: cents / 100, tokens }, limits)).toBe(fits);
            if (fits) mine.push({ cents, tokens });
          } else if (what === 'settle') {
            const one = mine.pop();
            if (one === undefined) continue;
            // What a call costs in the end is at most what was set aside for it.
            const cost = {
              usd: Math.min(one.cents, cents) / 100,
              usage: { inputTokens: Math.min(one.tokens, tokens), outputTokens: 0 },
            };
            const result = { key: keyOf(`${runId}${String(spent.calls)}`), ...cost, retry: false };
            await ledger.settle(reservation, 'f0', { usd: one.cents / 100, tokens: one.tokens }, result);
            spent.calls += 1;
            spent.cents += Math.min(one.cents, cents);
            spent.tokens += cost.usage.inputTokens;
          } else if (what === 'open') {
            await ledger.open(reservation);
            held[holder] = [];
          } else await reopen();
          const spend = await ledger.spend(runId);
          expect({ calls: spend.calls, cents: Math.round(spend.usd * 100), tokens: spend.inputTokens }).toEqual(spent);
          expect(spend.usd).toBeLessThanOrEqual(limits.usd);
        }
      }),
      { numRuns: 40 },
    );
  });

  test('many callers of one turn share the limit exactly', async () => {
    const granted = await Promise.all(Array.from({ length: 50 }, () => ledger.reserve(holderOf('h'), ask, { usd: 1 })));
    expect(granted.filter(Boolean).length).toBe(10);
  });

  test('a replaced attempt that settles late pays, and takes nothing from its successor but once', async () => {
    await ledger.reserve(holderOf('h'), ask, {});
    await ledger.open(holderOf('h'));
    await ledger.settle(holderOf('h'), 'f0', ask, bought('late'));
    expect((await ledger.spend('run')).calls).toBe(1);
    expect(await ledger.reserve(holderOf('h'), ask, { calls: 2 })).toBe(true);
    expect(await ledger.reserve(holderOf('h'), ask, { calls: 2 })).toBe(false);
  });
});

describe('faults', () => {
  test('a bad argument fails alone: nothing of it is written, and its neighbours of the same turn are', async () => {
    const bad = [
      ledger.settle(holderOf('h'), 'f0', ask, bought('a', { key: 'no hash' })),
      ledger.settle(holderOf('h'), 'f0', ask, bought('a', { usd: Number.NaN })),
      ledger.settle(holderOf('h'), 'f0', { usd: -1, tokens: 0 }, bought('a')),
      ledger.settle(holderOf('h\tx'), 'f0', ask, bought('a')),
      ledger.settle(holderOf('h'), '', ask, bought('a')),
      ledger.reserve(holderOf('h', 'x'.repeat(5000)), ask, {}),
      ledger.reserve(holderOf('h'), { usd: 1, tokens: Number.POSITIVE_INFINITY }, {}),
      ledger.tally(holderOf('h'), 'f0', { answered: -1, cached: 0, failed: 0, savedUsd: 0 }),
      ledger.lookup(['zz']),
    ];
    const good = ledger.settle(holderOf('h'), 'f0', ask, bought('good'));
    for (const outcome of await Promise.allSettled(bad)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { code: 'Internal' } });
    }
    await good;
    expect(await ledger.spend('run')).toMatchObject({ calls: 1, answered: 0 });
    expect((await ledger.stats()).answers).toBe(1);
  });

  test('what only a past boot of the machine had is dropped unread; what the disk had stays', async () => {
    await ledger.settle(holderOf('h'), 'f0', ask, bought('kept'));
    await ledger.reserve(holderOf('h'), ask, { calls: 2 });
    await ledger.close();
    const live = readdirSync(dir).find((name) => name.startsWith('live-'))!;
    renameSync(join(dir, live), join(dir, 'live-00000000-0000-0000-0000-000000000000'));
    writeFileSync(join(dir, 'live-00000000-0000-0000-0000-000000000000', 'data.mdb'), 'torn by a power cut');
    ledger = open();
    expect(readdirSync(dir).sort()).toEqual([live, 'safe'].sort());
    expect((await ledger.lookup([keyOf('kept')]))[0]?.value).toBe('kept');
    expect((await ledger.spend('run')).calls).toBe(1);
    // The reservation went with the processes that the power cut ended.
    expect(await ledger.reserve(holderOf('other'), ask, { calls: 2 })).toBe(true);
  });

  test('a folder that cannot be one says so', () => {
    const file = join(dir, 'file');
    writeFileSync(file, '');
    expect(() => openLedger({ kind: 'lmdb', dir: join(file, 'x') })).toThrow(
      expect.objectContaining({ code: 'StoreUnreachable' }),
    );
    for (const content of ['not LMDB', 'this is not an LMDB file'.repeat(400)]) {
      mkdirSync(join(dir, 'odd', 'safe'), { recursive: true });
      writeFileSync(join(dir, 'odd', 'safe', 'data.mdb'), content);
      expect(() => openLedger({ kind: 'lmdb', dir: join(dir, 'odd') })).toThrow(
        expect.objectContaining({ code: 'StoreUnreachable' }),
      );
    }
  });

  test('a closed ledger refuses and does not crash', async () => {
    await ledger.close();
    await expect(ledger.lookup([keyOf('a')])).rejects.toMatchObject({ code: 'StoreUnreachable' });
    await expect(ledger.settle(holderOf('h'), 'f0', ask, bought('a'))).rejects.toMatchObject({
      code: 'StoreUnreachable',
    });
    await expect(ledger.stats()).rejects.toMatchObject({ code: 'StoreUnreachable' });
  });
});

test('what settles is moved to the disk without anybody closing', async () => {
  await ledger.settle(holderOf('h'), 'f0', ask, bought('a'));
  await ledger.tally(holderOf('h'), 'f0', { answered: 1, cached: 0, savedUsd: 0, failed: 0 });
  const safe = openLmdb<string, string>(join(dir, 'safe'), { encoding: 'string' });
  const entries = (name: string) => (safe.openDB(name, {}).getStats() as { entryCount: number }).entryCount;
  // The answer; the run, its operator, the whole store and the tally.
  await expect.poll(() => [entries('answers'), entries('accounts')], { timeout: 10_000 }).toEqual([1, 4]);
  await safe.close();
  expect((await ledger.lookup([keyOf('a')]))[0]?.value).toBe('a');
});
