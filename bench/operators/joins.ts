/** Joins by every strategy on the simulated pool: pairs asked, calls, price, and how right the pairs are. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { load } from '../harness/machine.js';
import { openBenchProject } from '../harness/project.js';
import { type Report, type Row, round } from '../harness/report.js';
import { defaultProfiles } from '../pool/profile.schema.js';
import { startPool } from '../pool/start.js';
import { f1, type JoinSize, note, pairQuestion, pairTruth, part, sideCsv, truePairs } from './pairs.js';
import { modelName, modelsOf, unlimited } from './pool-project.js';

const sizes: Readonly<Record<string, JoinSize>> = {
  '100 × 20, no key': { notes: 100, parts: 20, keys: 1, kinds: 20 },
  '1,000 × 1,000, a key': { notes: 1000, parts: 1000, keys: 100, kinds: 10 },
};

const strategies: Readonly<Record<string, StrategyRequest>> = {
  direct: { kind: 'direct' },
  'batched, 50': { kind: 'batched', size: 50 },
  'classify, 10': { kind: 'classify', size: 10 },
  'classify, 20': { kind: 'classify', size: 20 },
  'classify, 50': { kind: 'classify', size: 50 },
};

export async function bench(): Promise<Report> {
  const rows: Row[] = [];
  for (const [name, size] of Object.entries(sizes)) rows.push(...(await measure(name, size)));
  return {
    bench: 'joins',
    simulated:
      'SIMULATED model: sim-strong of bench/pool/profiles.json answers from the truth of made-up pairs, at once. A pair among many in one ' +
      'prompt is as much harder as the profile says. The engine is real.',
    sections: [{ title: 'Joins by strategy, difficulty as sourced', rows }],
  };
}

async function measure(name: string, size: JoinSize): Promise<readonly Row[]> {
  const profiles = unlimited(defaultProfiles());
  const pool = await startPool({ profiles, truth: [pairTruth(size)], seed: 1, latencyScale: 0 });
  const project = await openBenchProject(modelsOf({ sourced: pool }));
  const truth = truePairs(size);
  const rows: Row[] = [];
  let direct: ReadonlySet<string> | undefined;
  try {
    await writeFile(join(project.dir, 'notes.csv'), sideCsv(size.notes, note, size));
    await writeFile(join(project.dir, 'parts.csv'), sideCsv(size.parts, part, size));
    for (const [label, strategy] of Object.entries(strategies)) {
      const run = await project.fermata.sql(
        `SELECT n.id AS n, p.id AS p FROM notes n JOIN parts p ON n.key = p.key AND AI_FILTER('${pairQuestion}')`,
        {
          tables: { notes: join(project.dir, 'notes.csv'), parts: join(project.dir, 'parts.csv') },
          ...{ strategy, cache: false, model: modelName('strong', 'sourced') },
        },
      );
      const found = new Set((await run.rows()).map((row) => `${Number(row['n'])}-${Number(row['p'])}`));
      const { spend, operators, errors, ms } = await run.result();
      direct ??= found;
      rows.push({
        join: name,
        pairs: size.notes * size.parts,
        strategy: label,
        asked: Math.max(...operators.map(({ inputs }) => inputs)),
        calls: spend.calls,
        'tokens in': spend.inputTokens,
        'USD (pool)': round(spend.usd, 4),
        'F1 against truth': round(f1(found, truth), 3),
        'F1 against direct': round(f1(found, direct), 3),
        retries: spend.retries,
        failed: errors.count,
        seconds: round(ms / 1000),
        load: load(),
      });
    }
  } finally {
    await project.close();
    await pool.close();
  }
  return rows;
}
