import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecordBatchReader, type Table, tableFromIPC } from 'apache-arrow';
import type { ObjectStore } from '../../activities/ports.js';
import type { RelationStore, TableSnapshot } from '../../activities/relation-port.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import type { OutputType } from '../../plans/operators/output.js';
import type { TableInput } from '../../plans/protocol/run.js';
import { type AnswerRow, encodeAnswers } from '../../workers/runtime/arrow/answers.js';
import { decodeInputs, type InputRow } from '../../workers/runtime/arrow/inputs.js';
import { createRelations } from '../../workers/runtime/duckdb/relations.js';
import { LocalObjectStore } from '../../workers/runtime/objects/local.js';

export interface Workshop {
  readonly dir: string;
  readonly store: ObjectStore;
  readonly relations: RelationStore;
  /** Writes a file of data and reads it as a table `t`. */
  snapshot(
    bytes: string | Uint8Array,
    format: TableInput['format'],
    more?: Partial<TableInput>,
  ): Promise<TableSnapshot>;
  /** Rows of a stored Arrow stream. */
  result(object: string): Promise<Table>;
  close(): Promise<void>;
}

/** A store and relations in a temporary folder. */
export async function openWorkshop(): Promise<Workshop> {
  const dir = await mkdtemp(join(tmpdir(), 'fermata-relations-'));
  const store = new LocalObjectStore({ kind: 'local', dir: join(dir, 'store') });
  const relations = createRelations({ store, tempDir: join(dir, 'tmp'), threads: 2 });
  return {
    dir,
    store,
    relations,
    snapshot: async (bytes, format, more = {}) => {
      const object = await store.put(typeof bytes === 'string' ? new TextEncoder().encode(bytes) : bytes);
      return relations.snapshotTable({ name: 't', format, object, path: join(dir, `data.${format}`), ...more });
    },
    result: async (object) => tableFromIPC(RecordBatchReader.from(await store.get(object))),
    close: () => rm(dir, { recursive: true, force: true }),
  };
}

/** Rows of an Arrow table as plain objects. */
export function records(table: Table): readonly Record<string, unknown>[] {
  return table.toArray().map((row) => (row as { toJSON(): Record<string, unknown> }).toJSON());
}

export function call(id: string, inputs: readonly string[], output: OutputType = { kind: 'boolean' }): SemanticCall {
  return {
    id,
    role: id.startsWith('f') ? 'filter' : 'value',
    parameters: { kind: output.kind === 'boolean' ? 'filter' : 'complete' },
    template: inputs.map((_, index) => `{${String(index)}}`).join(' '),
    inputs: inputs.map((sql) => ({ sql, label: sql, modality: 'text' })),
    output,
    position: 0,
  };
}

export interface Simulation {
  readonly rowsSql?: string;
  readonly finalSql: string;
  readonly calls: readonly SemanticCall[];
  readonly answer: (call: SemanticCall, input: InputRow) => Omit<AnswerRow, 'in'>;
  readonly partitionRows?: number;
  readonly onError?: 'null' | 'skip';
  readonly first?: number;
}

/** Runs a plan over one table by the port alone, with made-up answers. */
export async function simulate(workshop: Workshop, table: TableSnapshot, plan: Simulation) {
  const { relations } = workshop;
  const source = await relations.makeSource({ alias: 't', table: table.name, sql: 'SELECT * FROM t' }, [table]);
  const chosen = await relations.chooseRows(
    { rows: { sql: plan.rowsSql ?? 'SELECT __row FROM __source AS t ORDER BY __row' } },
    source,
    [table],
  );
  const base = {
    tables: [table],
    source,
    alias: 't',
    chosen: chosen.object,
    waves: [{ from: 0, to: chosen.rows }],
    onError: plan.onError ?? 'null',
    ...(plan.first === undefined ? {} : { first: plan.first }),
  };
  const answered = [];
  const asked: { call: string; rows: readonly InputRow[] }[] = [];
  for (const each of plan.calls) {
    const files: Uint8Array[] = [];
    const written = await relations.writeInputs(
      { ...base, answered },
      each,
      plan.partitionRows ?? 3,
      (index, bytes) => {
        const rows = decodeInputs(bytes);
        asked.push({ call: each.id, rows });
        files[index] = encodeAnswers(rows.map((row) => ({ in: row.in, ...plan.answer(each, row) })));
        return Promise.resolve();
      },
    );
    const wave = {
      mapping: written.mapping,
      partitions: written.partitions,
      answers: (p: number) => Promise.resolve(files[p]),
    };
    answered.push({ call: each, waves: [wave], written });
  }
  const final = await relations.runFinal({ ...base, answered }, plan.finalSql);
  return {
    final,
    asked,
    written: answered.map(({ written }) => written),
    rows: await workshop.result(final.rows.object),
  };
}
