/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment, @typescript-eslint/no-unsafe-argument -- the type id tells the class, which the library's types cannot */
/** Arrow columns to DuckDB's values: one row of the table an Arrow type. */
import {
  ARRAY,
  BIGINT,
  BLOB,
  BOOLEAN,
  DATE,
  DECIMAL,
  DOUBLE,
  type DuckDBType,
  type DuckDBValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeValue,
  FLOAT,
  INTEGER,
  INTERVAL,
  LIST,
  MAP,
  SMALLINT,
  STRUCT,
  TIME,
  TIMESTAMP,
  TIMESTAMP_MS,
  TIMESTAMP_NS,
  TIMESTAMP_S,
  TIMESTAMPTZ,
  TINYINT,
  UBIGINT,
  UINTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
  arrayValue,
  blobValue,
  listValue,
  mapValue,
  structValue,
} from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { FermataError } from '../../../plans/protocol/errors.js';

type Read = (index: number) => DuckDBValue;

interface Mapping {
  readonly type: (type: arrow.DataType) => DuckDBType;
  /** Reader of one batch's values; never called for a NULL. */
  readonly read: (data: arrow.Data) => Read;
}

const { Type, TimeUnit } = arrow;

function numbers(type: DuckDBType): Mapping {
  return {
    type: () => type,
    read:
      ({ values }) =>
      (index) =>
        (values as ArrayLike<number | bigint>)[index] ?? null,
  };
}

const ints: Readonly<Record<string, Mapping>> = {
  '8true': numbers(TINYINT),
  '16true': numbers(SMALLINT),
  '32true': numbers(INTEGER),
  '64true': numbers(BIGINT),
  '8false': numbers(UTINYINT),
  '16false': numbers(USMALLINT),
  '32false': numbers(UINTEGER),
  '64false': numbers(UBIGINT),
};
const int = (type: arrow.DataType): Mapping => {
  const { bitWidth, isSigned } = type as arrow.Int;
  return ints[`${String(bitWidth)}${String(isSigned)}`] ?? numbers(BIGINT);
};

const float: Mapping = {
  type: (type) => ((type as arrow.Float).precision === arrow.Precision.DOUBLE ? DOUBLE : FLOAT),
  read: (data) => {
    if ((data.type as arrow.Float).precision !== arrow.Precision.HALF) return numbers(DOUBLE).read(data);
    const vector = new arrow.Vector([data]);
    return (index) => vector.get(index) as number;
  },
};

/** Types that the library's own getter reads exactly. */
function got(type: (type: arrow.DataType) => DuckDBType, convert: (value: never) => DuckDBValue): Mapping {
  return {
    type,
    read: (data) => {
      const vector = new arrow.Vector([data]);
      return (index) => convert(vector.get(index) as never);
    },
  };
}
const text = got(
  () => VARCHAR,
  (value: string) => value,
);
const bytes = got(
  () => BLOB,
  (value: Uint8Array) => blobValue(Uint8Array.from(value)),
);

/** Ticks of each unit in a microsecond, as a fraction. */
const micros: Readonly<Record<arrow.TimeUnit, (ticks: bigint) => bigint>> = {
  [TimeUnit.SECOND]: (ticks) => ticks * 1_000_000n,
  [TimeUnit.MILLISECOND]: (ticks) => ticks * 1000n,
  [TimeUnit.MICROSECOND]: (ticks) => ticks,
  [TimeUnit.NANOSECOND]: (ticks) => ticks / 1000n,
};
const zoneless: Readonly<Record<arrow.TimeUnit, { type: DuckDBType; value: (ticks: bigint) => DuckDBValue }>> = {
  [TimeUnit.SECOND]: { type: TIMESTAMP_S, value: (ticks) => new DuckDBTimestampSecondsValue(ticks) },
  [TimeUnit.MILLISECOND]: { type: TIMESTAMP_MS, value: (ticks) => new DuckDBTimestampMillisecondsValue(ticks) },
  [TimeUnit.MICROSECOND]: { type: TIMESTAMP, value: (ticks) => new DuckDBTimestampValue(ticks) },
  [TimeUnit.NANOSECOND]: { type: TIMESTAMP_NS, value: (ticks) => new DuckDBTimestampNanosecondsValue(ticks) },
};

/** 32-bit values come as numbers, 64-bit ones as bigints. */
const tick = (values: unknown, index: number): bigint => BigInt((values as ArrayLike<number | bigint>)[index] ?? 0);

const timestamp: Mapping = {
  type: (type) => ((type as arrow.Timestamp).timezone ? TIMESTAMPTZ : zoneless[(type as arrow.Timestamp).unit].type),
  read: ({ type, values }) => {
    const { unit, timezone } = type as arrow.Timestamp;
    if (!timezone) return (index) => zoneless[unit].value(tick(values, index));
    return (index) => new DuckDBTimestampTZValue(micros[unit](tick(values, index)));
  },
};

const date: Mapping = {
  type: (type) => ((type as arrow.Date_).unit === arrow.DateUnit.DAY ? DATE : TIMESTAMP_MS),
  read: ({ type, values }) =>
    (type as arrow.Date_).unit === arrow.DateUnit.DAY
      ? (index) => new DuckDBDateValue((values as Int32Array)[index] ?? 0)
      : (index) => new DuckDBTimestampMillisecondsValue(tick(values, index)),
};

const time: Mapping = {
  type: () => TIME,
  read:
    ({ type, values }) =>
    (index) =>
      new DuckDBTimeValue(micros[(type as arrow.Time).unit](tick(values, index))),
};

const duration: Mapping = {
  type: () => INTERVAL,
  read:
    ({ type, values }) =>
    (index) =>
      new DuckDBIntervalValue(0, 0, micros[(type as arrow.Duration).unit](tick(values, index))),
};

const decimal: Mapping = {
  type: (type) => {
    const { precision, scale, bitWidth } = type as arrow.Decimal;
    if (bitWidth > 128 || precision > 38 || scale < 0) throw unsupported(type);
    return DECIMAL(precision, scale);
  },
  read: ({ type, values }) => {
    const { precision, scale, bitWidth } = type as arrow.Decimal;
    const words = bitWidth / 32;
    return (index) => {
      let number = 0n;
      for (let word = words - 1; word >= 0; word -= 1) {
        number = (number << 32n) | BigInt((values as Uint32Array)[index * words + word] ?? 0);
      }
      return new DuckDBDecimalValue(BigInt.asIntN(bitWidth, number), precision, scale);
    };
  },
};

const list: Mapping = {
  type: (type) => LIST(duckDbType((type as arrow.List).valueType)),
  read: (data) => {
    const item = reader(child(data));
    const offsets = data.valueOffsets as ArrayLike<number | bigint>;
    return (index) => listValue(range(Number(offsets[index] ?? 0), Number(offsets[index + 1] ?? 0), item));
  },
};

const fixedList: Mapping = {
  type: (type) => ARRAY(duckDbType((type as arrow.FixedSizeList).valueType), (type as arrow.FixedSizeList).listSize),
  read: (data) => {
    const size = (data.type as arrow.FixedSizeList).listSize;
    const item = reader(child(data));
    // a sliced batch keeps its children whole
    return (index) => arrayValue(range((data.offset + index) * size, (data.offset + index + 1) * size, item));
  },
};

const struct: Mapping = {
  type: (type) =>
    STRUCT(Object.fromEntries((type as arrow.Struct).children.map((field) => [field.name, duckDbType(field.type)]))),
  read: (data) => {
    const members = (data.type as arrow.Struct).children.map(
      (field, index) => [field.name, reader(child(data, index))] as const,
    );
    return (index) => structValue(Object.fromEntries(members.map(([name, read]) => [name, read(index)])));
  },
};

const map: Mapping = {
  type: (type) => MAP(duckDbType((type as arrow.Map_).keyType), duckDbType((type as arrow.Map_).valueType)),
  read: (data) => {
    const entries = child(data);
    const [key, value] = [reader(child(entries, 0)), reader(child(entries, 1))];
    const offsets = data.valueOffsets as ArrayLike<number>;
    return (index) =>
      mapValue(range(offsets[index] ?? 0, offsets[index + 1] ?? 0, (at) => ({ key: key(at), value: value(at) })));
  },
};

const dictionary: Mapping = {
  type: (type) => duckDbType((type as arrow.Dictionary).dictionary),
  read: (data) => {
    const chunks = data.dictionary?.data ?? [];
    const words = chunks.flatMap((chunk) => {
      const read = reader(chunk);
      return range(0, chunk.length, read);
    });
    return (index) => words[Number((data.values as ArrayLike<number | bigint>)[index] ?? 0)] ?? null;
  },
};

const nothing: Mapping = { type: () => INTEGER, read: () => () => null };
const boolean = got(
  () => BOOLEAN,
  (value: boolean) => value,
);

const mappings: Readonly<Partial<Record<arrow.Type, Mapping>>> = {
  [Type.Null]: nothing,
  [Type.Float]: float,
  [Type.Binary]: bytes,
  [Type.LargeBinary]: bytes,
  [Type.BinaryView]: bytes,
  [Type.FixedSizeBinary]: bytes,
  [Type.Utf8]: text,
  [Type.LargeUtf8]: text,
  [Type.Utf8View]: text,
  [Type.Bool]: boolean,
  [Type.Decimal]: decimal,
  [Type.Date]: date,
  [Type.Time]: time,
  [Type.Timestamp]: timestamp,
  [Type.Duration]: duration,
  [Type.List]: list,
  [Type.LargeList]: list,
  [Type.FixedSizeList]: fixedList,
  [Type.Struct]: struct,
  [Type.Map]: map,
  [Type.Dictionary]: dictionary,
};

function mappingOf(type: arrow.DataType): Mapping {
  const mapping = arrow.DataType.isInt(type) ? int(type) : mappings[type.typeId];
  if (mapping === undefined) throw unsupported(type);
  return mapping;
}

/** The DuckDB type of an Arrow type. @throws FermataError `BadData` for unions, calendar intervals and 256-bit decimals */
export function duckDbType(type: arrow.DataType): DuckDBType {
  return mappingOf(type).type(type);
}

/** The values of one column of one batch from `from` up to `to`. */
export function duckDbValues(data: arrow.Data, from: number, to: number): DuckDBValue[] {
  return range(from, to, reader(data));
}

function reader(data: arrow.Data): Read {
  const read = mappingOf(data.type).read(data);
  if (arrow.DataType.isNull(data.type) || data.nullCount === 0) return read;
  return (index) => (data.getValid(index) ? read(index) : null);
}

function range<T>(from: number, to: number, read: (index: number) => T): T[] {
  return Array.from({ length: Math.max(0, to - from) }, (_, index) => read(from + index));
}

function child(data: arrow.Data, index = 0): arrow.Data {
  const found = data.children[index];
  if (found === undefined)
    throw new FermataError('BadData', `An Arrow column of type ${nameOf(data.type)} has no values.`);
  return found;
}

function unsupported(type: arrow.DataType): FermataError {
  return new FermataError('BadData', `The Arrow type ${nameOf(type)} cannot be read.`, {
    hint: 'Cast the column to another type, or save the data as Parquet.',
  });
}

function nameOf(type: arrow.DataType): string {
  return (type as { toString(): string }).toString();
}
