/** One worker process of the multi-process tests: `node child.js <dir> <runId> <holder> <mode>`. */
import { createHash, randomUUID } from 'node:crypto';
import { openLmdbLedger } from '../../../../workers/runtime/ledger/lmdb.js';

const [dir = '', runId = '', holder = '', mode = ''] = process.argv.slice(2);
const mine = { runId, holder };
const ask = { usd: 0.01, tokens: 10 };

async function reserveUntilRefused(): Promise<void> {
  const ledger = openLmdbLedger({ dir });
  let granted = 0;
  await Promise.all(
    Array.from({ length: 5 }, async () => {
      while (await ledger.reserve(mine, ask, { calls: 100 })) granted += 1;
    }),
  );
  process.stdout.write(`${String(granted)}\n`);
  // Holds what it has until it is killed.
  await new Promise(() => setInterval(() => undefined, 1000));
}

async function settleForEver(): Promise<void> {
  const ledger = openLmdbLedger({ dir });
  const answer = { value: 'x'.repeat(200), usage: { inputTokens: 7, outputTokens: 3 }, usd: 0.01, ms: 1, runId };
  const one = async (): Promise<void> => {
    for (;;) {
      const key = createHash('sha256').update(randomUUID()).digest('hex');
      await ledger.reserve(mine, ask, {});
      await ledger.settle(mine, 'f0', ask, { key, answer, usage: answer.usage, usd: answer.usd, retry: false });
      process.stdout.write(`${key}\n`);
    }
  };
  await Promise.all(Array.from({ length: 8 }, one));
}

/** Uses every part of a ledger that may be damaged and prints what came of it. */
async function use(): Promise<void> {
  try {
    const ledger = openLmdbLedger({ dir });
    const keys = Array.from({ length: 500 }, (_, at) => createHash('sha256').update(`k${at}`).digest('hex'));
    const found = (await ledger.lookup(keys)).filter((answer) => answer !== undefined);
    const { calls } = await ledger.spend(runId);
    const { answers } = await ledger.stats();
    await ledger.open(mine);
    await ledger.settle(mine, 'f0', ask, {
      key: keys[0] ?? '',
      usage: { inputTokens: 1, outputTokens: 1 },
      retry: true,
    });
    await ledger.close();
    process.stdout.write(`${JSON.stringify({ found: found.length, calls, answers })}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify(error)}\n`);
  }
}

const modes: Readonly<Record<string, () => Promise<void>>> = { reserveUntilRefused, settleForEver, use };
await modes[mode]?.();
