import type { RecordBatch, Table } from 'apache-arrow';
import { runObjects } from '../plans/protocol/run-plan.js';
import type { RunRecord } from '../plans/protocol/run-record.js';
import type { RunRequest, RunStatus } from '../plans/protocol/run.js';
import type { query } from '../workflows/query.js';
import type { RowError, Run, RunDescription } from './api.js';
import { messages, openControlled, readJson, type RunPorts } from './controlled.js';

/** Loaded when it is used: Arrow takes longer to load than a run takes to start. */
const reader = () => import('./result-reader.js');

/** Loads what reads rows, while there is nothing to do but wait for them. */
export function preloadReader(): void {
  void reader().catch(() => undefined);
}

/** Handle of a run, by its id. */
export function openRun(id: string, ports: RunPorts): Run {
  const { handle, guarded, common } = openControlled<typeof query>(id, ports);
  const rowsFile = async (): Promise<string> => ports.store.localPath((await common.result()).rows.object);

  async function description(): Promise<RunDescription | undefined> {
    const record = await readJson<RunRecord>(ports.store.getNamed(runObjects.record(id)));
    if (record === undefined) return undefined;
    const request = await readJson<RunRequest>(ports.store.get(record.request));
    if (request === undefined) return undefined;
    const { joins, estimate } = record;
    return { request, joins, ...(estimate === undefined ? {} : { estimate }) };
  }

  return {
    ...common,
    description,
    rowsFile,
    status: (): Promise<RunStatus> => guarded(async () => handle.query((await messages()).statusQuery)),
    async *stream(): AsyncGenerator<RecordBatch> {
      const { readBatches } = await reader();
      yield* readBatches(await rowsFile());
    },
    rows: async () => (await reader()).readRows(await rowsFile()),
    toArrow: async (): Promise<Table> => (await reader()).readTable(await rowsFile()),
    errors: async () => {
      const { errors } = await common.result();
      const { readRows } = await reader();
      const rows = await readRows(await ports.store.localPath(errors.object));
      return rows.map(
        ({ row, operator, code, message }): RowError => ({
          row: Number(row),
          operator: String(operator),
          code: String(code),
          message: String(message),
        }),
      );
    },
  };
}
