import type { AnsweredCall, QueryState } from '../../../activities/relation-port.js';
import type { ObjectStore } from '../../../activities/ports.js';
import type { SemanticCall } from '../../../plans/operators/call.js';
import { duckdbType } from '../../../plans/operators/duckdb-type.js';
import { answerColumn, quoteName, quoteText, reserved } from '../../../plans/relation/names.js';
import { answerStates, type AnswerState } from '../arrow/answers.js';
import { loadAnswers } from './answers.js';
import { parquetScan } from './parquet.js';
import type { DuckDbSession } from './session.js';
import { registerSource } from './tables.js';

const row = quoteName(reserved.row);
const position = quoteName(reserved.position);

/** The rows of a query that are left, with what became of those that left. */
export interface AttachedRows {
  /** Rows that left because a call on them was not decided. */
  readonly undecided: number;
  /** Row-and-call pairs that were asked. */
  readonly asked: number;
  /** Query of (`row` from 1, `operator`, `code`, `message`), in the order of calls and rows. */
  readonly errorsSql: string;
  /** The same of the nested queries that were run before. */
  readonly earlierErrorsSql: readonly string[];
}

/**
 * Makes `__rows`: the chosen rows that are left after the answered calls, with all source columns and `__a_<id>` for each
 * call, in the order of the plan; then locks the session.
 */
export async function attachAnswers(
  session: DuckDbSession,
  store: ObjectStore,
  state: QueryState,
  next: SemanticCall['role'] | 'final',
): Promise<AttachedRows> {
  const files = [...(await registerSource(session, store, state.source, state.tables))];
  const chosen = await store.localPath(state.chosen);
  files.push(chosen);
  const waves = state.waves.map(({ from, to }) => `(${position} >= ${String(from)} AND ${position} < ${String(to)})`);
  const where = waves.length === 0 ? 'false' : waves.join(' OR ');
  await session.run(`CREATE TABLE __step_0 AS SELECT ${row}, ${position} FROM ${parquetScan(chosen)} WHERE ${where}`);
  let counts = { undecided: 0, asked: 0 };
  let passed = false;
  for (const [index, answered] of state.answered.entries()) {
    if (!passed && answered.call.role !== 'filter') {
      await keepFirst(session, state, index);
      passed = true;
    }
    files.push(...(await joinMapping(session, store, answered, index)));
    counts = add(counts, await takeStep(session, state, answered, index));
  }
  if (!passed && next !== 'filter') await keepFirst(session, state, state.answered.length);
  await makeRows(session, state);
  const earlier = await Promise.all((state.done ?? []).map(({ errors }) => store.localPath(errors.object)));
  await session.lock([...files, ...earlier]);
  return {
    ...counts,
    errorsSql: errorsSql(state),
    earlierErrorsSql: earlier.map((path) => `SELECT * FROM ${parquetScan(path)}`),
  };
}

/** Of the rows that passed all filters only the first so many go on, where the query needs no more. */
async function keepFirst(session: DuckDbSession, { first }: QueryState, step: number): Promise<void> {
  if (first === undefined) return;
  const table = `__step_${String(step)}`;
  await session.run(`CREATE TABLE __kept AS SELECT * FROM ${table} ORDER BY ${position} LIMIT ${String(first)}`);
  await session.run(`DROP TABLE ${table}`);
  await session.run(`ALTER TABLE __kept RENAME TO ${table}`);
}

/** `__met_<n>`: the rows of this step with the state and value of their answer; every reached row has a state or no mapping. */
async function joinMapping(
  session: DuckDbSession,
  store: ObjectStore,
  { call, waves }: AnsweredCall,
  index: number,
): Promise<readonly string[]> {
  const answers = `__answers_${call.id}`;
  await loadAnswers(session, answers, waves);
  const paths = await Promise.all(
    waves.map(async ({ mapping }) => (mapping === undefined ? undefined : store.localPath(mapping))),
  );
  const mappings = paths.flatMap((path, wave) =>
    path === undefined ? [] : [`SELECT ${row}, __in, ${String(wave)} AS wave FROM ${parquetScan(path)}`],
  );
  const none = `SELECT 0::BIGINT AS ${row}, 0::INTEGER AS __in, 0 AS wave WHERE false`;
  const value = `TRY_CAST(TRY_CAST('{"v":' || a.value || '}' AS JSON) AS STRUCT(v ${duckdbType(call.output)})).v`;
  await session.run(
    `CREATE TABLE __met_${String(index)} AS SELECT s.*, a.state, a.code, a.message, m.${row} IS NOT NULL AS reached, ` +
      `m.__in AS input, m.__in IS NULL AS empty, CASE WHEN a.state = ${code('ok')} THEN ${value} END AS ${quoteName(answerColumn(call.id))} ` +
      `FROM __step_${String(index)} AS s LEFT JOIN (${[...mappings, none].join(' UNION ALL ')}) AS m ` +
      `ON s.${row} = m.${row} ` +
      `LEFT JOIN ${quoteName(answers)} AS a ON a.wave = m.wave AND a."in" = m.__in`,
  );
  await session.run(`DROP TABLE ${quoteName(answers)}`);
  return paths.filter((path) => path !== undefined);
}

/** `__step_<n+1>`: the rows that go on from `__met_<n>`. */
async function takeStep(
  session: DuckDbSession,
  state: QueryState,
  { call }: AnsweredCall,
  index: number,
): Promise<{ readonly undecided: number; readonly asked: number }> {
  const met = `__met_${String(index)}`;
  const undecided = `(NOT reached OR (NOT empty AND (state IS NULL OR state = ${code('undecided')})))`;
  // an aggregate is asked once a group
  const asked = call.role === 'aggregate' ? 'count(DISTINCT input)' : 'count(*) FILTER (reached AND NOT empty)';
  const [counted] = await session.rows(
    `SELECT count(*) FILTER (${undecided}) AS undecided, ${asked} AS asked FROM ${met}`,
  );
  const keep = [`NOT ${undecided}`];
  if (call.role === 'filter') keep.push(`${quoteName(answerColumn(call.id))} IS TRUE`);
  if (state.onError === 'skip') keep.push(`state IS DISTINCT FROM ${code('error')}`);
  await session.run(
    `CREATE TABLE __step_${String(index + 1)} AS SELECT * EXCLUDE (state, code, message, reached, input, empty) FROM ${met} ` +
      `WHERE ${keep.join(' AND ')}`,
  );
  return { undecided: Number(counted?.['undecided'] ?? 0), asked: Number(counted?.['asked'] ?? 0) };
}

/** `__rows`, and `__rows_at` with the position beside. */
async function makeRows(session: DuckDbSession, state: QueryState): Promise<void> {
  const answers = state.answered.map(({ call }) => `, s.${quoteName(answerColumn(call.id))}`);
  const unknown = (state.unanswered ?? []).map(
    ({ id, output }) => `, NULL::${duckdbType(output)} AS ${quoteName(answerColumn(id))}`,
  );
  await session.run(
    `CREATE VIEW __rows_at AS SELECT t.*${[...answers, ...unknown].join('')}, s.${position} FROM __step_${String(state.answered.length)} AS s ` +
      `JOIN ${quoteName(reserved.source)} AS t ON t.${row} = s.${row}`,
  );
  await session.run(
    `CREATE VIEW ${quoteName(reserved.rows)} AS SELECT * EXCLUDE (${position}) FROM __rows_at ORDER BY ${position}`,
  );
}

function errorsSql(state: QueryState): string {
  const each = state.answered.map(({ call }, index) => {
    // a group that failed is one error, at its first row
    const once =
      call.role === 'aggregate' ? ` QUALIFY row_number() OVER (PARTITION BY input ORDER BY ${position}) = 1` : '';
    return (
      `SELECT ${row}, ${position}, ${String(index)} AS call, ${quoteText(call.id)} AS operator, code, message ` +
      `FROM __met_${String(index)} WHERE state = ${code('error')}${once}`
    );
  });
  const none = `SELECT 0::BIGINT AS ${row}, 0::BIGINT AS ${position}, 0 AS call, '' AS operator, '' AS code, '' AS message WHERE false`;
  const all = [...each, none].join(' UNION ALL ');
  return `SELECT ${row} + 1 AS "row", operator, code, message FROM (${all}) ORDER BY call, ${position}`;
}

function code(state: AnswerState): string {
  return String(answerStates.indexOf(state));
}

function add(
  a: { readonly undecided: number; readonly asked: number },
  b: { readonly undecided: number; readonly asked: number },
): { undecided: number; asked: number } {
  return { undecided: a.undecided + b.undecided, asked: a.asked + b.asked };
}
