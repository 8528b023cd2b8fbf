import { Int32, Utf8 } from 'apache-arrow';
import { int32Data, recordBatch, schemaOf, utf8Data } from './columns.js';
import { column, readBatches } from './read-batches.js';
import { arrowBytes } from './stream-writer.js';
import { texts } from './texts.js';

/** One distinct input of a call: what one prompt is rendered from. */
export interface InputRow {
  /** Number of the input within its wave, from 0. */
  readonly in: number;
  /** Rows that share it. */
  readonly n: number;
  /** The inputs of the call as text; media as references (`parseMediaRef`). */
  readonly values: readonly string[];
}

/** A partition of inputs as an Arrow IPC stream: `__in`, `__n`, `in0`, `in1` … */
export function encodeInputs(rows: readonly InputRow[], arity: number): Uint8Array {
  const columns = Array.from({ length: arity }, (_, index) => utf8Data(rows.map((row) => row.values[index])));
  const numbers = [int32Data(rows.map((row) => row.in)), int32Data(rows.map((row) => row.n))];
  const schema = inputsSchema(arity);
  return arrowBytes(schema, [recordBatch(schema, [...numbers, ...columns], rows.length)]);
}

export function decodeInputs(bytes: Uint8Array): readonly InputRow[] {
  return readBatches(bytes, 'inputs').flatMap((batch) => {
    const names = batch.schema.fields.map((field) => field.name).filter((name) => /^in\d+$/.test(name));
    const values = names.map((name) => texts(column<Utf8>(batch, name)));
    const ins = column<Int32>(batch, '__in').values;
    const counts = column<Int32>(batch, '__n').values;
    return Array.from({ length: batch.numRows }, (_, row) => ({
      in: ins[row] ?? 0,
      n: counts[row] ?? 0,
      values: values.map((texts) => texts[row] ?? ''),
    }));
  });
}

const schemas = new Map<number, ReturnType<typeof schemaOf>>();

function inputsSchema(arity: number): ReturnType<typeof schemaOf> {
  let schema = schemas.get(arity);
  if (schema === undefined) {
    const columns: Record<string, Int32 | Utf8> = { __in: new Int32(), __n: new Int32() };
    for (let index = 0; index < arity; index += 1) columns[`in${String(index)}`] = new Utf8();
    schema = schemaOf(columns, new Set());
    schemas.set(arity, schema);
  }
  return schema;
}
