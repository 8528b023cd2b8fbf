/**
 * Relational work on many rows: seconds, rows a second and heap of each step. `node dist/bench/relations.js [rows …]`
 */
import { createWriteStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { SemanticCall } from '../plans/operators/call.js';
import { encodeAnswers } from '../workers/runtime/arrow/answers.js';
import { decodeInputs } from '../workers/runtime/arrow/inputs.js';
import { createRelations } from '../workers/runtime/duckdb/relations.js';
import { LocalObjectStore } from '../workers/runtime/objects/local.js';

const partitionRows = 200;

function* csvLines(rows: number): Generator<string> {
  yield 'id,text\n';
  for (let from = 0; from < rows; from += 1000) {
    const ids = Array.from({ length: Math.min(1000, rows - from) }, (_, index) => from + index);
    yield ids.map((id) => `${String(id)},"Complaint ${String(id)}: the brakes failed, again"\n`).join('');
  }
}

const filter: SemanticCall = {
  id: 'f0',
  role: 'filter',
  parameters: { kind: 'filter' },
  template: 'is it bad? {0}',
  inputs: [{ sql: 't.text', label: 'text', modality: 'text' }],
  output: { kind: 'boolean' },
  position: 0,
};

interface Line {
  readonly rows: number;
  readonly step: string;
  readonly seconds: number;
  readonly rowsPerSecond: number;
  readonly heapMb: number;
  readonly rssMb: number;
}

/** Runs one step and samples the heap while it does. */
async function measured<T>(lines: Line[], rows: number, step: string, work: () => Promise<T>): Promise<T> {
  globalThis.gc?.();
  let heap = 0;
  const sample = (): void => {
    heap = Math.max(heap, process.memoryUsage().heapUsed);
  };
  const timer = setInterval(sample, 20);
  const start = performance.now();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    sample();
    const seconds = (performance.now() - start) / 1000;
    const mb = (bytes: number) => Math.round(bytes / 2 ** 20);
    const rate = Math.round(rows / seconds);
    lines.push({
      rows,
      step,
      seconds: Number(seconds.toFixed(2)),
      rowsPerSecond: rate,
      heapMb: mb(heap),
      rssMb: mb(process.memoryUsage().rss),
    });
  }
}

async function bench(rows: number, lines: Line[]): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'fermata-bench-'));
  try {
    const store = new LocalObjectStore({ kind: 'local', dir: join(dir, 'store') });
    const relations = createRelations({ store, tempDir: join(dir, 'tmp'), memoryLimit: '1GB', threads: 2 });
    const path = join(dir, 'rows.csv');
    await pipeline(Readable.from(csvLines(rows)), createWriteStream(path));
    const { hash: object } = await store.putFile(path);
    const run = <T>(step: string, work: () => Promise<T>) => measured(lines, rows, step, work);

    const table = await run('snapshot', () => relations.snapshotTable({ name: 't', format: 'csv', object, path }));
    const source = await relations.makeSource({ alias: 't', table: 't', sql: 'SELECT * FROM t' }, [table]);
    const sql = 'SELECT __row FROM __source AS t';
    const chosen = await run('choose rows', () => relations.chooseRows({ rows: { sql } }, source, [table]));
    const waves = [{ from: 0, to: chosen.rows }];
    const state = {
      tables: [table],
      source,
      alias: 't',
      chosen: chosen.object,
      waves,
      onError: 'null',
      answered: [],
    } as const;
    const name = (kind: string, index: number) => `bench/${kind}/${String(index)}.arrow`;
    let busy = 0;
    const written = await run('write inputs', () =>
      relations.writeInputs(state, filter, partitionRows, async (index, bytes) => {
        const start = performance.now();
        const answers = decodeInputs(bytes).map(
          (row) => ({ in: row.in, state: 'ok', value: String(row.in % 2 === 0) }) as const,
        );
        await store.putNamed(name('answers', index), encodeAnswers(answers));
        busy += (performance.now() - start) / 1000;
      }),
    );
    console.log(
      `${String(rows)} rows: ${busy.toFixed(2)} s of "write inputs" went into made-up answers and their files`,
    );
    const wave = {
      mapping: written.mapping,
      partitions: written.partitions,
      answers: (index: number) => store.getNamed(name('answers', index)),
    };
    const answered = [{ call: filter, waves: [wave] }];
    await run('attach and final', () => relations.runFinal({ ...state, answered }, 'SELECT id, text FROM __rows AS t'));
  } finally {
    await rm(dir, { recursive: true, force: true });
  }
}

const lines: Line[] = [];
const sizes = process.argv.slice(2).map(Number);
for (const rows of sizes.length === 0 ? [10_000, 100_000, 1_000_000] : sizes) await bench(rows, lines);
console.table(lines);
