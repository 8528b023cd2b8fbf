/** Values of Arrow columns, read exactly: no rounding of big integers, decimals or microseconds. */
import { type Data, DateUnit, Precision, TimeUnit, Type, type Vector } from 'apache-arrow';
import { placePoint, unscaledOf } from '../../client/decimal.js';

/** A number that is written digit by digit as it stands. */
export class ExactNumber {
  readonly digits: string;
  constructor(digits: string) {
    this.digits = digits;
  }
}

/** One value: NULL is `null`; dates and times are ISO 8601 strings; a struct or map is a `Map`. */
export type Cell =
  | null
  | boolean
  | number
  | bigint
  | string
  | ExactNumber
  | Uint8Array
  | readonly Cell[]
  | ReadonlyMap<string, Cell>;

type Reader = (data: Data, index: number) => Cell;

const unitDigits: Readonly<Record<TimeUnit, number>> = {
  [TimeUnit.SECOND]: 0,
  [TimeUnit.MILLISECOND]: 3,
  [TimeUnit.MICROSECOND]: 6,
  [TimeUnit.NANOSECOND]: 9,
};

/** Parameters of an Arrow type that a reader looks at; which of them are there depends on the type. */
interface TypeParameters {
  /** Of times and timestamps. */
  readonly unit: TimeUnit;
  readonly timezone?: string | null;
  readonly scale: number;
  readonly bitWidth: number;
  readonly precision: Precision;
  readonly listSize: number;
  readonly children: readonly { readonly name: string }[];
  toString(): string;
}

function parametersOf(data: Data): TypeParameters {
  return data.type as unknown as TypeParameters;
}

function valueAt(data: Data, index: number): unknown {
  return (data.values as ArrayLike<unknown>)[index];
}

/** Whole seconds and the digits after the point, for a count of 10^-digits seconds. */
function splitSeconds(value: bigint, digits: number): { readonly seconds: bigint; readonly fraction: string } {
  const scale = 10n ** BigInt(digits);
  const rest = ((value % scale) + scale) % scale;
  const fraction = digits === 0 ? '' : rest.toString().padStart(digits, '0').replace(/0+$/, '');
  return { seconds: (value - rest) / scale, fraction: fraction === '' ? '' : `.${fraction}` };
}

/** `Date` covers years up to 275760; beyond it the raw count is the honest form. */
function isoSeconds(seconds: bigint): string | undefined {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, -5);
}

function readTimestamp(data: Data, index: number): Cell {
  const type = parametersOf(data);
  const raw = valueAt(data, index) as bigint;
  const { seconds, fraction } = splitSeconds(raw, unitDigits[type.unit]);
  const text = isoSeconds(seconds);
  return text === undefined ? raw : `${text}${fraction}${type.timezone ? 'Z' : ''}`;
}

function readDate(data: Data, index: number): Cell {
  const { unit } = data.type as unknown as { readonly unit: DateUnit };
  const days = unit === DateUnit.DAY;
  const raw = BigInt(valueAt(data, index) as number | bigint);
  const text = isoSeconds(days ? raw * 86_400n : raw / 1000n);
  return text === undefined ? raw : text.slice(0, text.indexOf('T'));
}

function readTime(data: Data, index: number): Cell {
  const raw = BigInt(valueAt(data, index) as number | bigint);
  const { seconds, fraction } = splitSeconds(raw, unitDigits[parametersOf(data).unit]);
  const two = (value: bigint): string => value.toString().padStart(2, '0');
  return `${two(seconds / 3600n)}:${two((seconds / 60n) % 60n)}:${two(seconds % 60n)}${fraction}`;
}

function readDecimal(data: Data, index: number): Cell {
  const { bitWidth, scale } = parametersOf(data);
  const words = bitWidth / 32;
  const values = data.values as Uint32Array;
  return new ExactNumber(placePoint(unscaledOf(values.subarray(index * words, (index + 1) * words)), scale));
}

function readFloat(data: Data, index: number): Cell {
  const value = valueAt(data, index) as number;
  // 32-bit floats print as the shortest decimal that reads back to the same float, as DuckDB prints them.
  const single = parametersOf(data).precision === Precision.SINGLE && Number.isFinite(value);
  return single ? shortestFloat(value) : value;
}

function shortestFloat(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const candidate = Number(value.toPrecision(digits));
    if (Math.fround(candidate) === value) return candidate;
  }
  return value;
}

function readBytes(data: Data, index: number): Uint8Array {
  const offsets = data.valueOffsets as ArrayLike<number | bigint>;
  return (data.values as Uint8Array).subarray(Number(offsets[index]), Number(offsets[index + 1]));
}

const decoder = new TextDecoder();

function child(data: Data, position = 0): Data {
  const found = data.children[position];
  if (!found) throw new RangeError(`Arrow ${parametersOf(data).toString()} has no child ${position}`);
  return found;
}

function readSpan(data: Data, start: number, end: number): Cell[] {
  return Array.from({ length: end - start }, (_, offset) => readData(data, start + offset));
}

function readList(data: Data, index: number): Cell {
  const offsets = data.valueOffsets as ArrayLike<number | bigint>;
  return readSpan(child(data), Number(offsets[index]), Number(offsets[index + 1]));
}

function readFixedList(data: Data, index: number): Cell {
  const size = parametersOf(data).listSize;
  return readSpan(child(data), index * size, (index + 1) * size);
}

function readStruct(data: Data, index: number): Cell {
  const fields = parametersOf(data).children;
  return new Map(fields.map((field, position) => [field.name, readData(child(data, position), index)]));
}

function readMap(data: Data, index: number): Cell {
  const offsets = data.valueOffsets as ArrayLike<number>;
  const entries = child(data);
  const pairs = new Map<string, Cell>();
  for (let i = Number(offsets[index]); i < Number(offsets[index + 1]); i++) {
    pairs.set(plainText(readData(child(entries, 0), i)), readData(child(entries, 1), i));
  }
  return pairs;
}

function readDictionary(data: Data, index: number): Cell {
  return data.dictionary ? readVector(data.dictionary, Number(valueAt(data, index))) : null;
}

function readBool(data: Data, index: number): Cell {
  return ((valueAt(data, index >> 3) as number) & (1 << (index & 7))) !== 0;
}

function readText(data: Data, index: number): Cell {
  return decoder.decode(readBytes(data, index));
}

/** One row a kind of Arrow type. */
const readers: Partial<Record<Type, Reader>> = {
  [Type.Null]: () => null,
  [Type.Bool]: readBool,
  [Type.Int]: (data, index) => valueAt(data, index) as number | bigint,
  [Type.Float]: readFloat,
  [Type.Decimal]: readDecimal,
  [Type.Utf8]: readText,
  [Type.LargeUtf8]: readText,
  [Type.Binary]: readBytes,
  [Type.LargeBinary]: readBytes,
  [Type.Date]: readDate,
  [Type.Time]: readTime,
  [Type.Timestamp]: readTimestamp,
  [Type.List]: readList,
  [Type.FixedSizeList]: readFixedList,
  [Type.Struct]: readStruct,
  [Type.Map]: readMap,
  [Type.Dictionary]: readDictionary,
};

/** The value at `index` of one Arrow chunk. */
export function readData(data: Data, index: number): Cell {
  if (!data.getValid(index)) return null;
  const read = readers[data.typeId];
  if (!read) throw new TypeError(`a column of the Arrow type ${parametersOf(data).toString()} cannot be printed`);
  return read(data, index);
}

/** The value at `index` of a column that may have several chunks. */
export function readVector(vector: Vector, index: number): Cell {
  let rest = index;
  for (const data of vector.data as readonly Data[]) {
    if (rest < data.length) return readData(data, rest);
    rest -= data.length;
  }
  return null;
}

/** A value as the plain text of a CSV field or table cell: nested values and blobs as JSON and base64. */
export function plainText(cell: Cell): string {
  if (cell === null) return '';
  if (typeof cell === 'string') return cell;
  if (cell instanceof ExactNumber) return cell.digits;
  if (cell instanceof Uint8Array) return base64(cell);
  if (typeof cell === 'object') return jsonText(cell);
  return String(cell);
}

function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');
}

/**
 * A value as JSON. Integers and decimals keep all their digits (JSON sets no limit on them); NaN and the infinities,
 * which JSON lacks, become strings; blobs are base64.
 */
export function jsonText(cell: Cell): string {
  if (cell === null) return 'null';
  if (typeof cell === 'bigint') return cell.toString();
  if (typeof cell === 'number') return Number.isFinite(cell) ? JSON.stringify(cell) : `"${cell}"`;
  if (typeof cell === 'string' || typeof cell === 'boolean') return JSON.stringify(cell);
  if (cell instanceof ExactNumber) return cell.digits;
  if (cell instanceof Uint8Array) return `"${base64(cell)}"`;
  if (cell instanceof Map) {
    return `{${[...(cell as ReadonlyMap<string, Cell>)].map(([key, value]) => `${JSON.stringify(key)}:${jsonText(value)}`).join(',')}}`;
  }
  return `[${(cell as readonly Cell[]).map(jsonText).join(',')}]`;
}
