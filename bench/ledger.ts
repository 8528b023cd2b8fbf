/**
 * Speed of the embedded ledger, beside plain puts into one LMDB database with the same concurrency:
 * `node dist/bench/ledger.js [calls]`. Prints a table, then the same as one line of JSON.
 */
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'lmdb';
import type { Answer, Ledger } from '../activities/ports.js';
import { openLmdbLedger } from '../workers/runtime/ledger/lmdb.js';

interface Row {
  readonly what: string;
  readonly callers: number;
  readonly perSecond: number;
  /** Microseconds of CPU, all threads of this process. */
  readonly cpuUs: number;
}

const calls = Number(process.argv[2] ?? 20_000);
const answer: Answer = {
  value: true,
  usage: { inputTokens: 220, outputTokens: 5 },
  usd: 0.00012,
  ms: 50,
  runId: 'bench',
};
const keyOf = (index: number) => createHash('sha256').update(String(index)).digest('hex');

async function measure(
  what: string,
  callers: number,
  total: number,
  call: (index: number) => Promise<unknown>,
): Promise<Row> {
  const cpu = process.cpuUsage();
  const start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (next < total) await call(next++);
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { what, callers, perSecond: Math.round(total / seconds), cpuUs: Number(((user + system) / total).toFixed(1)) };
}

async function reserveAndSettle(ledger: Ledger, index: number): Promise<void> {
  const holder = { runId: 'bench', holder: `part-${index % 8}` };
  const ask = { usd: 0.0002, tokens: 400 };
  if (!(await ledger.reserve(holder, ask, { usd: 1e6 }))) throw new Error('refused');
  await ledger.settle(holder, 'f0', ask, {
    key: keyOf(index),
    answer,
    usage: answer.usage,
    usd: answer.usd,
    retry: false,
  });
}

const dir = mkdtempSync(join(tmpdir(), 'fermata-bench-ledger-'));
try {
  const rows: Row[] = [];
  const plain = open<string, string>(join(dir, 'plain'), { encoding: 'string' });
  for (const callers of [1, 16, 64]) {
    rows.push(
      await measure('plain put, flushed', callers, callers === 1 ? calls / 20 : calls, (index) =>
        plain.put(keyOf(index), '[true,220,5,0.00012,50]'),
      ),
    );
  }
  await plain.close();
  const ledger = openLmdbLedger({ dir: join(dir, 'ledger') });
  for (const callers of [1, 16, 64]) {
    rows.push(
      await measure('reserve + settle', callers, calls, (index) => reserveAndSettle(ledger, callers * calls + index)),
    );
    rows.push(
      await measure('lookup, found', callers, calls, (index) => ledger.lookup([keyOf(callers * calls + index)])),
    );
  }
  rows.push(
    await measure('lookup of 100, found', 1, calls / 100, (batch) =>
      ledger.lookup(Array.from({ length: 100 }, (_, index) => keyOf(64 * calls + batch * 100 + index))),
    ),
  );
  await ledger.close();
  console.table(rows);
  console.log(JSON.stringify(rows));
} finally {
  rmSync(dir, { recursive: true, force: true });
}
