import type { ObjectStore } from '../../../activities/ports.js';
import type { WrittenInputs } from '../../../activities/relation-port.js';
import type { Fold, SemanticCall } from '../../../plans/operators/call.js';
import { quoteName, reserved } from '../../../plans/relation/names.js';
import { writePartitions } from './inputs.js';
import { storeParquet } from './parquet.js';
import type { DuckDbSession } from './session.js';

const row = quoteName(reserved.row);
const position = quoteName(reserved.position);

/**
 * The items of an aggregate over `__rows`, group by group, each group in its order: as inputs whose first value is the number
 * of the group, the others those of the call. Groups are numbered by first occurrence; one without items has no number, and
 * its answer is NULL. The mapping gives each row its group. Needs `attachAnswers` before it.
 */
export async function writeItems(
  session: DuckDbSession,
  store: ObjectStore,
  options: {
    readonly call: SemanticCall;
    readonly fold: Fold;
    readonly alias: string;
    readonly partitionRows: number;
  },
  sink: (partition: number, bytes: Uint8Array) => Promise<void>,
): Promise<WrittenInputs> {
  const names = options.call.inputs.map((_, index) => `in${String(index + 1)}`);
  const keys = options.fold.groups.length === 0 ? ['g0'] : options.fold.groups.map((_, index) => `g${String(index)}`);
  await makeGroups(session, options, names, keys);
  const same = keys.map((key) => `f.${key} IS NOT DISTINCT FROM g.${key}`).join(' AND ');
  const list = names.map((name) => `f.${name}`).join(', ');
  const first = options.fold.distinct
    ? ` QUALIFY row_number() OVER (PARTITION BY g.__in, ${list} ORDER BY f.place) = 1`
    : '';
  await session.run(
    `CREATE TABLE __distinct AS SELECT (row_number() OVER (ORDER BY __in, place) - 1)::INTEGER AS __in, 1::INTEGER AS __n, ` +
      `__in::VARCHAR AS in0, ${names.join(', ')} FROM (SELECT g.__in, f.place, ${list} FROM __items AS f JOIN __groups AS g ` +
      `ON ${same} WHERE ${present(names, 'f.')}${first})`,
  );
  const written = await writePartitions(session, { names: ['in0', ...names] }, options.partitionRows, sink);
  const mapping = await storeParquet(
    session,
    store,
    `SELECT r.${row}, i.__in FROM __rows_at AS r LEFT JOIN (SELECT f.${row}, g.__in FROM __items AS f JOIN __groups AS g ` +
      `ON ${same}) AS i ON r.${row} = i.${row} ORDER BY r.${position}`,
  );
  return { mapping: mapping.object, rows: mapping.rows, ...written };
}

/** `__items`: the rows that are folded, with keys, inputs and their order; `__groups`: the groups that have items. */
async function makeGroups(
  session: DuckDbSession,
  { call, fold, alias }: { readonly call: SemanticCall; readonly fold: Fold; readonly alias: string },
  names: readonly string[],
  keys: readonly string[],
): Promise<void> {
  const inputs = call.inputs.map(({ sql }, index) => `(${sql}\n)::VARCHAR AS ${names[index] ?? ''}`);
  const groups = keys.map((key, index) => `(${fold.groups[index] ?? 'true'}\n) AS ${key}`);
  const order = `row_number() OVER (ORDER BY ${[...fold.order, position].join(', ')}) AS place`;
  const where = fold.where === undefined ? '' : ` WHERE (${fold.where}\n)`;
  const columns = [row, position, ...inputs, ...groups, order].join(', ');
  const items = `SELECT ${columns} FROM __rows_at AS ${quoteName(alias)}${where}`;
  await session.requireSelect(items);
  await session.run(`CREATE TABLE __items AS ${items}`);
  const list = keys.join(', ');
  await session.run(
    `CREATE TABLE __groups AS SELECT ${list}, (row_number() OVER (ORDER BY first) - 1)::INTEGER AS __in ` +
      `FROM (SELECT ${list}, min(${position}) AS first FROM __items WHERE ${present(names, '')} GROUP BY ${list})`,
  );
}

function present(names: readonly string[], table: string): string {
  return names.map((name) => `${table}${name} IS NOT NULL`).join(' AND ');
}
