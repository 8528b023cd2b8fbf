/** Runs logical plans through the real activities, store, ledger and DuckDB, one after the other as the workflow does; no server. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFinishQuery } from '../../activities/relational/finish-query.js';
import { createNextBlock } from '../../activities/relational/next-block.js';
import { createPlanQuery } from '../../activities/relational/plan-query.js';
import { createPrepareCall } from '../../activities/relational/prepare-call.js';
import { runTask } from '../../activities/relational/logical/run-task.js';
import { encodePlan } from '../../plans/algebra/json.js';
import type { Operator } from '../../plans/algebra/operator.js';
import { operatorsOf } from '../../plans/algebra/walk.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { RunResult, TableInput } from '../../plans/protocol/run.js';
import type { RelationSchema } from '../../plans/relation/schema.js';
import type { CodeTasks } from '../../plans/tasks/code/code-task.js';
import { readRows } from '../../client/result-reader.js';
import { partitionCodec } from '../../workers/runtime/arrow/partition-codec.js';
import { createRelations } from '../../workers/runtime/duckdb/relations.js';
import { createSqlPlanning } from '../../workers/runtime/duckdb/sql-planning.js';
import { openLmdbLedger } from '../../workers/runtime/ledger/lmdb.js';
import { createMediaPreparer } from '../../workers/runtime/media/prepare.js';
import { LocalObjectStore } from '../../workers/runtime/objects/local.js';
import type { Row } from './algebra/evaluate.js';

export interface LogicalRunner {
  run(
    plan: Operator,
    relations: Readonly<Record<string, RelationSchema>>,
    tables: Readonly<Record<string, readonly Row[]>>,
  ): Promise<{ readonly rows: readonly Row[]; readonly result: RunResult; readonly stored: number }>;
  close(): Promise<void>;
}

const types: Readonly<Record<string, string>> = { Text: 'VARCHAR', Image: 'VARCHAR' };

/** Every task is done by code: `codeTasks` must have it. */
export async function openLogicalRunner(codeTasks: CodeTasks): Promise<LogicalRunner> {
  const dir = await mkdtemp(join(tmpdir(), 'fermata-logical-'));
  const store = new LocalObjectStore({ kind: 'local', dir: join(dir, 'store') });
  const ledger = openLmdbLedger({ dir: join(dir, 'ledger') });
  const duckDb = { tempDir: join(dir, 'tmp'), threads: 1 };
  const none = (): Promise<never> => Promise.reject(new FermataError('NoModel', 'no model is part of this'));
  const ports = {
    store,
    ledger,
    codeTasks,
    codec: partitionCodec,
    media: createMediaPreparer({ store }),
    relations: createRelations({ store, ...duckDb }),
    planning: createSqlPlanning(duckDb),
    models: { get: none, close: () => Promise.resolve() },
    defaultModel: 'none',
    defaultEmbedder: 'none',
    modelsWith: () => [],
    queueOf: () => 'none',
    clock: { now: () => 0 },
    scope: () => ({ stop: new AbortController().signal, heartbeat: () => undefined }),
  };
  let runs = 0;

  async function tableOf(name: string, { schema }: RelationSchema, rows: readonly Row[]): Promise<TableInput> {
    const columns = schema.map((attribute) => `"${attribute.name}" ${types[attribute.type] ?? attribute.type}`);
    const values = rows.map(
      (row) => `(${schema.map((attribute) => sqlValue(row[attribute.name] ?? null)).join(', ')})`,
    );
    const { DuckDBInstance } = await import('@duckdb/node-api');
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const path = join(dir, `${name}-${runs}.parquet`);
    await connection.run(`CREATE TABLE made (${columns.join(', ')})`);
    if (values.length > 0) await connection.run(`INSERT INTO made VALUES ${values.join(', ')}`);
    await connection.run(`COPY made TO '${path}' (FORMAT parquet)`);
    connection.closeSync();
    instance.closeSync();
    return { name, path, format: 'parquet', object: (await store.putFile(path)).hash };
  }

  return {
    async run(plan, relations, tables) {
      runs += 1;
      const runId = `q-logical-${runs}`;
      const scanned = new Set(operatorsOf(plan).flatMap((one) => (one.kind === 'scan' ? [one.relation] : [])));
      const inputs = Object.entries(relations).filter(([name]) => scanned.has(name));
      const given: TableInput[] = [];
      for (const [name, relation] of inputs) given.push(await tableOf(name, relation, tables[name] ?? []));
      const logical = { plan: encodePlan(plan), inputs: inputs.map(([name, relation]) => ({ name, ...relation })) };
      const body = { v: 1, sql: 'x', tables: given, logical, onError: 'null', maxErrorRatio: 1, cache: true };
      const request = await store.put(Buffer.from(JSON.stringify(body)));
      let planned = await createPlanQuery(ports)({ runId, request, budget: {}, estimate: false });
      let stored = 0;
      for (;;) {
        const waves = [{ index: 0, from: 0, to: planned.rows }];
        for (const call of planned.calls) {
          const at = { runId, plan: planned.plan, call: call.id };
          const prepared = await createPrepareCall(ports)({
            ...{ ...at, waves, partitionRows: 2 },
            wave: { index: 1, from: 0, to: planned.rows },
          });
          for (let partition = 0; partition < prepared.partitions; partition += 1)
            await runTask(ports, { ...at, wave: 1, partition, last: true, again: false });
        }
        if (planned.later === undefined) {
          const finish = { runId, plan: planned.plan, waves, stop: 'complete', startedAt: 0 } as const;
          const result = await createFinishQuery(ports)(finish);
          return { rows: (await readRows(await store.localPath(result.rows.object))).map(plain), result, stored };
        }
        planned = await createNextBlock(ports)({ runId, plan: planned.plan, waves, startedAt: 0 });
        stored += 1;
      }
    },
    async close() {
      await ledger.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

function sqlValue(value: Row[string]): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function plain(row: Readonly<Record<string, unknown>>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      (typeof value === 'bigint' ? Number(value) : value) as Row[string],
    ]),
  );
}
