import { type Data, Field, Float64, Int32, makeData, RecordBatch, Schema, Struct, Uint8, Utf8 } from 'apache-arrow';

/** A bitmap of the values that are there, or nothing when all are. */
export function validity(values: ArrayLike<unknown>): { readonly nullBitmap?: Uint8Array; readonly nullCount: number } {
  let nullBitmap: Uint8Array | undefined;
  let nullCount = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (value !== null && value !== undefined) continue;
    nullBitmap ??= new Uint8Array(Math.ceil(values.length / 8)).fill(0xff);
    nullBitmap[index >> 3] = (nullBitmap[index >> 3] ?? 0) & ~(1 << (index & 7));
    nullCount += 1;
  }
  return nullBitmap === undefined ? { nullCount: 0 } : { nullBitmap, nullCount };
}

/** Texts as one buffer and its offsets; about ten times faster than the library's builder. */
export function utf8Data(values: readonly (string | null | undefined)[]): Data<Utf8> {
  let size = 0;
  for (const value of values) if (value != null) size += Buffer.byteLength(value);
  const bytes = Buffer.allocUnsafeSlow(size);
  const valueOffsets = new Int32Array(values.length + 1);
  let at = 0;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (value != null) at += bytes.write(value, at);
    valueOffsets[index + 1] = at;
  }
  return makeData({ type: new Utf8(), length: values.length, valueOffsets, data: bytes, ...validity(values) });
}

export function int32Data(values: readonly number[]): Data<Int32> {
  return makeData({ type: new Int32(), length: values.length, nullCount: 0, data: Int32Array.from(values) });
}

export function uint8Data(values: readonly number[]): Data<Uint8> {
  return makeData({ type: new Uint8(), length: values.length, nullCount: 0, data: Uint8Array.from(values) });
}

export function float64Data(values: readonly (number | undefined)[]): Data<Float64> {
  const data = Float64Array.from(values, (value) => value ?? 0);
  return makeData({ type: new Float64(), length: values.length, data, ...validity(values) });
}

/** One record batch of named columns of the same length. */
export function recordBatch(schema: Schema, columns: readonly Data[], length: number): RecordBatch {
  const children = [...columns];
  return new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, nullCount: 0, children }));
}

/** Schema of the columns that `recordBatch` takes, in their order. */
export function schemaOf(columns: Readonly<Record<string, Field['type']>>, nullable: ReadonlySet<string>): Schema {
  return new Schema(Object.entries(columns).map(([name, type]) => new Field(name, type, nullable.has(name))));
}
