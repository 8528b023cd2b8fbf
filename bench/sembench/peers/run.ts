/** One query in a system of others: its script in its own virtual environment, on the same pool, within the time limit. */
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { load } from '../../harness/machine.js';
import { peerPython } from '../../peers/home.js';
import { type Bench, counted, type Outcome } from '../counted.js';
import { qualityOf } from '../gold.js';
import { csvOf, type PeerRow, type SemQuery } from '../scenario.js';
import { backends, type PeerSystem } from '../systems.js';

const scripts = fileURLToPath(new URL('../../../../bench/sembench/peers/', import.meta.url));

interface Answered {
  readonly rows: readonly PeerRow[];
  readonly seconds: number;
}

export async function runPeer(bench: Bench, system: PeerSystem, query: SemQuery): Promise<Outcome> {
  const { path: python, isThere } = peerPython(system.peer.venv);
  if (!isThere) return { status: 'skipped', why: `there is no ${python}` };
  const { operator } = query;
  if (operator === undefined) return { status: 'skipped', why: 'the query is more than one operator over one table' };
  const { finish, table, ...rest } = operator;
  const { columns, rows } = bench.loaded.tables[table] ?? { columns: [], rows: [] };
  const { dir } = bench.project;
  const csv = join(dir, `peer-${table}.csv`);
  await writeFile(
    csv,
    csvOf({ columns: ['row', ...columns], rows: rows.map((row, at) => ({ row: String(at), ...row })) }),
  );
  const spec = {
    ...rest,
    csv,
    baseUrl: bench.pool.url,
    model: backends[system.model],
    embedder: backends.embed,
    concurrency: bench.concurrency,
    ...(system.helper === undefined ? {} : { helper: backends[system.helper] }),
  };
  await writeFile(join(dir, 'peer.json'), JSON.stringify(spec));
  const args = [join(scripts, system.peer.script), join(dir, 'peer.json')];
  const { value, use } = await counted(bench, bench.timeScale, () => ran(python, args, dir, bench.limitSeconds));
  if ('refused' in value) return { status: 'refused', why: value.refused };
  const result = finish(value.rows, rows).slice(0, rest.limit ?? Infinity);
  return {
    status: 'ok',
    metric: query.gold.metric,
    quality: qualityOf(result, query.gold),
    rows: result.length,
    // without imports and reading the file, as the script saw it
    use: { ...use, seconds: value.seconds, fullSeconds: use.fullSeconds - use.seconds + value.seconds },
    load: load(),
  };
}

/** @throws Error with the last line that it said, or that its time was over. */
function ran(
  python: string,
  args: readonly string[],
  cwd: string,
  limitSeconds: number,
): Promise<Answered | { readonly refused: string }> {
  return new Promise((resolve, reject) => {
    const limits = { cwd, timeout: limitSeconds * 1000, killSignal: 'SIGKILL', maxBuffer: 2 ** 28 } as const;
    execFile(python, [...args], limits, (error, stdout, stderr) => {
      const result = /^RESULT (.*)$/m.exec(stdout)?.[1];
      const refused = /^REFUSED (.*)$/m.exec(stdout)?.[1];
      if (refused !== undefined) resolve({ refused });
      else if (result !== undefined) resolve(JSON.parse(result) as Answered);
      else if (error?.killed === true) reject(new Error(`it had not ended after ${limitSeconds} s`));
      else reject(new Error(lastLine(stderr) ?? lastLine(stdout) ?? error?.message ?? 'it said nothing'));
    });
  });
}

function lastLine(text: string): string | undefined {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .at(-1)
    ?.slice(0, 200);
}
