/** Runs a query plan by brute force, row by row, with a function in the place of a model. */
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { type ExplainedPlan, explainPlacement } from '../../plans/explain/placement.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import { duckdbType } from '../../plans/operators/duckdb-type.js';
import type { Placed } from '../../plans/placement/strategies.js';
import type { JsonValue } from '../../plans/protocol/json.js';
import type { Placement } from '../../plans/protocol/placement.js';
import type { NestedBlock, PlanColumn, QueryBlock, QueryPlan, TableSchema } from '../../plans/sql/plan.js';
import { planQuery } from '../../plans/sql/planner.js';
import type { ParameterValues } from '../../plans/sql/parameters.js';
import type { MeasureSql, SqlParser } from '../../plans/sql/ports.js';
import { createSqlDescriber } from '../../workers/runtime/duckdb/sql-describer.js';
import { createSqlParser } from '../../workers/runtime/duckdb/sql-parser.js';

/** Answers one call from its inputs as text; NULL inputs never get here. */
export type FakeModel = (call: SemanticCall, inputs: readonly string[]) => JsonValue;

export interface Execution {
  readonly columns: readonly string[];
  readonly rows: readonly unknown[][];
  /** How often each call was asked. */
  readonly asked: Readonly<Record<string, number>>;
}

export interface Bench {
  readonly connection: DuckDBConnection;
  plan(sql: string, placement?: Placement, parameters?: ParameterValues): Promise<QueryPlan>;
  /** How the joins of a query are placed, and the queries that sizes were counted by. */
  explain(sql: string, placement: Placement): Promise<{ plans: readonly ExplainedPlan[]; counted: readonly string[] }>;
  /** Rows of plain SQL, JSON-safe. */
  query(sql: string): Promise<{ columns: string[]; rows: unknown[][] }>;
  execute(plan: QueryPlan, model: FakeModel, batch?: number): Promise<Execution>;
  close(): void;
}

/** A database with the given tables, and a planner over their schemas with binders of its own. */
export async function openBench(
  setup: readonly string[],
  media: Record<string, 'image' | 'audio'> = {},
): Promise<Bench> {
  const data = await DuckDBInstance.create(':memory:');
  const connection = await data.connect();
  for (const sql of setup) await connection.run(sql);
  const binder = await DuckDBInstance.create(':memory:', { enable_external_access: 'false' });
  const binding = await binder.connect();
  const tables = await schemasOf(connection, media);
  const schemas = await createSqlDescriber(binding, tables);
  const parser: SqlParser = createSqlParser(binding);
  const query = async (sql: string): Promise<{ columns: string[]; rows: unknown[][] }> => {
    const reader = await connection.runAndReadAll(sql);
    return { columns: reader.columnNames(), rows: reader.getRowsJson() };
  };
  const measure: MeasureSql = (queries) =>
    Promise.all(
      queries.map((sql) =>
        query(sql).then(
          ({ rows }) => (rows[0] ?? []).map(Number),
          () => undefined,
        ),
      ),
    );
  return {
    connection,
    query,
    plan: (sql, placement = 'pullup', parameters = {}) =>
      planQuery({ sql, tables, parser, placement, parameters, measure, ...schemas }),
    async explain(sql, placement) {
      const plans: ExplainedPlan[] = [];
      const counted: string[] = [];
      const onPlaced = (placed: Placed) => plans.push(explainPlacement(placed));
      const counting: MeasureSql = (queries) => {
        counted.push(...queries);
        return measure(queries);
      };
      await planQuery({ sql, tables, parser, placement, measure: counting, onPlaced, ...schemas });
      return { plans, counted };
    },
    execute: (plan, model, batch = 1) => execute(connection, query, plan, model, batch),
    close: () => {
      connection.closeSync();
      binding.closeSync();
      data.closeSync();
      binder.closeSync();
    },
  };
}

async function schemasOf(
  connection: DuckDBConnection,
  media: Record<string, 'image' | 'audio'>,
): Promise<readonly TableSchema[]> {
  const reader = await connection.runAndReadAll(
    "SELECT table_name, column_name, data_type FROM duckdb_columns() WHERE schema_name = 'main' AND NOT internal ORDER BY table_name, column_index",
  );
  const tables = new Map<string, PlanColumn[]>();
  for (const [table, name, type] of reader.getRows() as string[][]) {
    const modality = media[`${table}.${name}`];
    const column = { name: name!, type: type!, ...(modality === undefined ? {} : { modality }) };
    tables.set(table!, [...(tables.get(table!) ?? []), column]);
  }
  return [...tables].map(([name, columns]) => ({ name, columns }));
}

/** Nested queries first, each kept as a table of its name while the plan runs. */
async function execute(
  connection: DuckDBConnection,
  query: Bench['query'],
  plan: QueryPlan,
  model: FakeModel,
  batch: number,
): Promise<Execution> {
  const asked: Record<string, number> = {};
  const before = plan.before ?? [];
  for (const { table, block } of shuffled(before)) {
    await executeBlock(connection, query, block, model, batch, asked, (sql) =>
      connection.run(`CREATE OR REPLACE TEMP TABLE ${table} AS SELECT * FROM (${sql})`),
    );
  }
  const result = await executeBlock(connection, query, plan, model, batch, asked, query);
  for (const table of new Set(before.map(({ table }) => table))) await connection.run(`DROP TABLE ${table}`);
  return { ...result, asked };
}

/** Groups, whose blocks may run in any order, by the last digits of a hash. */
function shuffled(before: readonly NestedBlock[]): readonly NestedBlock[] {
  const key = ({ block }: NestedBlock): number => (block.source.sql.length * 7919 + block.final.sql.length) % 31;
  const ordered = [...before];
  for (const group of new Set(before.flatMap(({ group: own }) => own ?? []))) {
    const places = before.flatMap((block, at) => (block.group === group ? [at] : []));
    const sorted = places.map((at) => before[at]!).sort((a, b) => key(a) - key(b));
    places.forEach((at, i) => (ordered[at] = sorted[i]!));
  }
  return ordered;
}

async function executeBlock<T>(
  connection: DuckDBConnection,
  query: Bench['query'],
  plan: QueryBlock,
  model: FakeModel,
  batch: number,
  asked: Record<string, number>,
  finish: (sql: string) => Promise<T>,
): Promise<T> {
  const alias = `"${plan.source.alias.replaceAll('"', '""')}"`;
  await connection.run(
    `CREATE OR REPLACE TEMP TABLE __source AS SELECT row_number() OVER () - 1 AS __row, * FROM (${plan.source.sql})`,
  );
  const ordered = (await query(plan.rows.sql)).rows.map(([row]) => Number(row));
  const rowsOf = (ids: readonly number[]): Promise<unknown> =>
    connection.run(
      `CREATE OR REPLACE TEMP TABLE __rows AS SELECT * FROM __source WHERE __row IN (${['-1', ...ids].join(', ')}) ORDER BY -__row`,
    );
  await rowsOf(ordered);
  const ask = async (call: SemanticCall, row: number): Promise<JsonValue> => {
    const inputs: string[] = [];
    for (const { sql } of call.inputs) {
      const value = (await query(`SELECT (${sql})::VARCHAR FROM __rows AS ${alias} WHERE __row = ${row}`)).rows[0]?.[0];
      if (typeof value !== 'string') return null;
      inputs.push(value);
    }
    asked[call.id] = (asked[call.id] ?? 0) + 1;
    return model(call, inputs);
  };
  const answers = new Map<string, Map<number, JsonValue>>();
  const filters = plan.calls.filter(({ role }) => role === 'filter');
  const values = plan.calls.filter(({ role }) => role === 'value');
  const survivors: number[] = [];
  for (let at = 0; at < ordered.length; at += batch) {
    if (plan.stopAfter !== undefined && survivors.length >= plan.stopAfter) break;
    for (const row of ordered.slice(at, at + batch)) {
      let passes = true;
      for (const call of filters) {
        const answer: JsonValue = passes ? await ask(call, row) : null;
        passes &&= answer === true;
      }
      if (passes) survivors.push(row);
    }
  }
  await rowsOf(survivors);
  for (const call of filters) answers.set(call.id, new Map(survivors.map((row) => [row, true])));
  for (const call of filters) await addColumn(connection, call, answers.get(call.id)!);
  const wanted = plan.stopAfter === undefined ? survivors : survivors.slice(plan.offset ?? 0, plan.stopAfter);
  for (const call of values) {
    const answered = new Map<number, JsonValue>();
    for (const row of wanted) answered.set(row, await ask(call, row));
    await addColumn(connection, call, answered);
  }
  const result = await finish(plan.final.sql);
  await connection.run('DROP TABLE __rows');
  await connection.run('DROP TABLE __source');
  return result;
}

async function addColumn(
  connection: DuckDBConnection,
  call: SemanticCall,
  answers: Map<number, JsonValue>,
): Promise<void> {
  const type = duckdbType(call.output);
  await connection.run(`ALTER TABLE __rows ADD COLUMN __a_${call.id} ${type}`);
  for (const [row, answer] of answers) {
    if (answer === null) continue;
    const value = type === 'VARCHAR' ? `json_extract_string($1::JSON, '$')` : `CAST($1::JSON AS ${type})`;
    await connection.run(`UPDATE __rows SET __a_${call.id} = ${value} WHERE __row = ${row}`, [JSON.stringify(answer)]);
  }
}
