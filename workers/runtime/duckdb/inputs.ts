import type { ObjectStore } from '../../../activities/ports.js';
import type { PairPrompts, WrittenInputs } from '../../../activities/relation-port.js';
import type { SemanticCall } from '../../../plans/operators/call.js';
import { quoteName, reserved } from '../../../plans/relation/names.js';
import { encodeInputs, type InputRow } from '../arrow/inputs.js';
import { ParallelWrites } from '../parallel-writes.js';
import { orderPairs, starts } from './pair-order.js';
import { storeParquet } from './parquet.js';
import type { DuckDbSession } from './session.js';

const row = quoteName(reserved.row);
const position = quoteName(reserved.position);

/**
 * Distinct inputs of a call over `__rows`, numbered by first occurrence in the order of the plan, in partitions of at most
 * `partitionRows`. With `pairs` those that share a side stand together, and a partition may be larger by as many as one prompt
 * holds, so that it ends where a prompt does. A row with any NULL input needs no call and gets no number. Needs `attachAnswers` before it.
 */
export async function writeInputs(
  session: DuckDbSession,
  store: ObjectStore,
  options: {
    readonly call: SemanticCall;
    readonly alias: string;
    readonly partitionRows: number;
    readonly pairs?: PairPrompts;
  },
  sink: (partition: number, bytes: Uint8Array) => Promise<void>,
): Promise<WrittenInputs> {
  const { call } = options;
  const names = call.inputs.map((_, index) => `in${String(index)}`);
  await makeInputs(session, options, names);
  const sides = options.pairs === undefined ? undefined : call.pair;
  if (sides !== undefined) await orderPairs(session, names, { sides, size: options.pairs?.size ?? 1 });
  const columns = { names, ...(sides === undefined ? {} : { starts }) };
  const written = await writePartitions(session, columns, options.partitionRows, sink);
  const given = names.map((name) => `r.${name} = d.${name}`);
  const mapping = await storeParquet(
    session,
    store,
    `SELECT r.${row}, d.__in FROM __reached AS r LEFT JOIN __distinct AS d ON ${given.join(' AND ')} ORDER BY r.${position}`,
  );
  return { mapping: mapping.object, rows: mapping.rows, ...written };
}

/** `__reached`: rows with their inputs as text; `__distinct`: the inputs with number and multiplicity. */
async function makeInputs(
  session: DuckDbSession,
  { call, alias }: { readonly call: SemanticCall; readonly alias: string },
  names: readonly string[],
): Promise<void> {
  const inputs = call.inputs.map(({ sql }, index) => `(${sql}\n)::VARCHAR AS ${names[index] ?? ''}`);
  const reached = `SELECT ${[row, position, ...inputs].join(', ')} FROM __rows_at AS ${quoteName(alias)}`;
  await session.requireSelect(reached);
  await session.run(`CREATE TABLE __reached AS ${reached}`);
  const present = names.map((name) => `${name} IS NOT NULL`).join(' AND ');
  const list = names.join(', ');
  await session.run(
    `CREATE TABLE __distinct AS SELECT (row_number() OVER (ORDER BY first) - 1)::INTEGER AS __in, n::INTEGER AS __n, ${list} ` +
      `FROM (SELECT ${list}, min(${position}) AS first, count(*) AS n FROM __reached WHERE ${present} GROUP BY ${list}) ` +
      `ORDER BY first`,
  );
}

/** Writes the rows of `__distinct` (`__in`, `__n` and the named columns). `starts`: where a partition may begin; default anywhere. */
export async function writePartitions(
  session: DuckDbSession,
  { names, starts = 'true' }: { readonly names: readonly string[]; readonly starts?: string },
  partitionRows: number,
  sink: (partition: number, bytes: Uint8Array) => Promise<void>,
): Promise<{ readonly inputs: number; readonly partitions: number }> {
  const result = await session.stream(`SELECT __in, __n, ${starts}, ${names.join(', ')} FROM __distinct ORDER BY __in`);
  let waiting: InputRow[] = [];
  let inputs = 0;
  let partitions = 0;
  const writes = new ParallelWrites();
  const flush = async (rows: readonly InputRow[]): Promise<void> => {
    const bytes = encodeInputs(rows, names.length);
    const partition = partitions++;
    await writes.add(bytes.byteLength, () => sink(partition, bytes));
  };
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) break;
    const [ins = [], counts = [], begins = [], ...values] = chunk.getColumns();
    for (let index = 0; index < chunk.rowCount; index += 1) {
      if (waiting.length >= partitionRows && begins[index] === true) {
        await flush(waiting);
        waiting = [];
      }
      const texts = values.map((column) => column[index] as string);
      waiting.push({ in: ins[index] as number, n: counts[index] as number, values: texts });
      inputs += 1;
    }
  }
  if (waiting.length > 0) await flush(waiting);
  await writes.done();
  return { inputs, partitions };
}
