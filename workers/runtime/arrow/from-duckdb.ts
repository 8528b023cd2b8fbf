/* eslint-disable @typescript-eslint/no-unsafe-class-instance-assignment -- the type id tells the class, which the library's types cannot */
/** DuckDB's values to Arrow columns: one row of the table a type. */
import {
  type DuckDBArrayType,
  type DuckDBArrayValue,
  type DuckDBBlobValue,
  type DuckDBDateValue,
  type DuckDBDecimalType,
  type DuckDBDecimalValue,
  type DuckDBListType,
  type DuckDBListValue,
  type DuckDBMapType,
  type DuckDBMapValue,
  type DuckDBStructType,
  type DuckDBStructValue,
  type DuckDBTimestampMillisecondsValue,
  type DuckDBTimestampNanosecondsValue,
  type DuckDBTimestampSecondsValue,
  type DuckDBTimestampValue,
  type DuckDBTimeValue,
  type DuckDBType,
  DuckDBTypeId,
  type DuckDBValue,
} from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { utf8Data, validity } from './columns.js';

type Values = readonly (DuckDBValue | undefined)[];

interface Mapping {
  readonly type: (type: DuckDBType) => arrow.DataType;
  readonly data: (type: DuckDBType, values: Values) => arrow.Data;
}

/** A type whose values are numbers of a fixed width; `V` is what DuckDB gives for it. */
// eslint-disable-next-line @typescript-eslint/no-unnecessary-type-parameters -- types the converter of each row of the table
function fixed<V>(
  type: () => arrow.DataType,
  array: new (length: number) => { [index: number]: number | bigint },
  toNumber: (value: V) => number | bigint,
): Mapping {
  return {
    type,
    data: (_, values) => {
      const data = new array(values.length);
      for (let index = 0; index < values.length; index += 1) {
        const value = values[index];
        if (value !== null && value !== undefined) data[index] = toNumber(value as V);
      }
      return arrow.makeData({
        type: type() as arrow.Int,
        length: values.length,
        data: data as never,
        ...validity(values),
      });
    },
  };
}

/** Types that Arrow has no fitting one for travel as DuckDB's own text. */
const text: Mapping = {
  type: () => new arrow.Utf8(),
  data: (_, values) => utf8Data(values.map((value) => (value == null ? null : String(value)))),
};

const same = <T>(value: T): T => value;
const utc = 'UTC';
const { SECOND, MILLISECOND, MICROSECOND, NANOSECOND } = arrow.TimeUnit;

/** Decimals and HUGEINT: 128 bits, little end first. */
function wide(precision: (type: DuckDBType) => arrow.Decimal, unscaled: (value: DuckDBValue) => bigint): Mapping {
  return {
    type: precision,
    data: (type, values) => {
      const words = new BigInt64Array(values.length * 2);
      values.forEach((value, index) => {
        if (value === null || value === undefined) return;
        const number = unscaled(value);
        words[index * 2] = BigInt.asIntN(64, number);
        words[index * 2 + 1] = BigInt.asIntN(64, number >> 64n);
      });
      const data = new Uint32Array(words.buffer);
      return arrow.makeData({ type: precision(type), length: values.length, data, ...validity(values) });
    },
  };
}

const boolean: Mapping = {
  type: () => new arrow.Bool(),
  data: (_, values) => {
    const data = new Uint8Array(Math.ceil(values.length / 8));
    values.forEach((value, index) => {
      if (value === true) data[index >> 3] = (data[index >> 3] ?? 0) | (1 << (index & 7));
    });
    return arrow.makeData({ type: new arrow.Bool(), length: values.length, data, ...validity(values) });
  },
};

const blob: Mapping = {
  type: () => new arrow.Binary(),
  data: (_, values) => {
    const parts = values.map((value) => (value == null ? new Uint8Array() : (value as DuckDBBlobValue).bytes));
    const data = Buffer.concat(parts);
    const valueOffsets = offsetsOf(parts.map((part) => part.length));
    return arrow.makeData({ type: new arrow.Binary(), length: values.length, valueOffsets, data, ...validity(values) });
  },
};

function offsetsOf(lengths: readonly number[]): Int32Array {
  const offsets = new Int32Array(lengths.length + 1);
  lengths.forEach((length, index) => {
    offsets[index + 1] = (offsets[index] ?? 0) + length;
  });
  return offsets;
}

const list: Mapping = {
  type: (type) => new arrow.List(itemField((type as DuckDBListType).valueType)),
  data: (type, values) => {
    const items = values.map((value) => (value == null ? [] : (value as DuckDBListValue).items));
    const child = arrowData((type as DuckDBListType).valueType, items.flat());
    const valueOffsets = offsetsOf(items.map((part) => part.length));
    const listType = list.type(type) as arrow.List;
    return arrow.makeData({ type: listType, length: values.length, valueOffsets, child, ...validity(values) });
  },
};

const array: Mapping = {
  type: (type) => {
    const { length, valueType } = type as DuckDBArrayType;
    return new arrow.FixedSizeList(length, itemField(valueType));
  },
  data: (type, values) => {
    const { length, valueType } = type as DuckDBArrayType;
    const none = Array.from({ length }, () => null);
    const items = values.flatMap((value) => (value == null ? none : (value as DuckDBArrayValue).items));
    const child = arrowData(valueType, items);
    const listType = array.type(type) as arrow.FixedSizeList;
    return arrow.makeData({ type: listType, length: values.length, child, ...validity(values) });
  },
};

const struct: Mapping = {
  type: (type) => {
    const { entryNames, entryTypes } = type as DuckDBStructType;
    return new arrow.Struct(
      entryTypes.map((entry, index) => new arrow.Field(entryNames[index] ?? '', arrowType(entry), true)),
    );
  },
  data: (type, values) => {
    const { entryNames, entryTypes } = type as DuckDBStructType;
    const children = entryTypes.map((entry, index) => {
      const name = entryNames[index] ?? '';
      return arrowData(
        entry,
        values.map((value) => (value == null ? null : (value as DuckDBStructValue).entries[name])),
      );
    });
    const structType = struct.type(type) as arrow.Struct;
    return arrow.makeData({ type: structType, length: values.length, children, ...validity(values) });
  },
};

const map: Mapping = {
  type: (type) => new arrow.Map_(new arrow.Field('entries', entriesType(type as DuckDBMapType), false)),
  data: (type, values) => {
    const { keyType, valueType } = type as DuckDBMapType;
    const entries = values.map((value) => (value == null ? [] : (value as DuckDBMapValue).entries));
    const flat = entries.flat();
    const children = [
      arrowData(
        keyType,
        flat.map((entry) => entry.key),
      ),
      arrowData(
        valueType,
        flat.map((entry) => entry.value),
      ),
    ];
    const child = arrow.makeData({
      type: entriesType(type as DuckDBMapType),
      length: flat.length,
      nullCount: 0,
      children,
    });
    const valueOffsets = offsetsOf(entries.map((part) => part.length));
    const mapType = map.type(type) as arrow.Map_;
    return arrow.makeData({ type: mapType, length: values.length, valueOffsets, child, ...validity(values) });
  },
};

function entriesType({
  keyType,
  valueType,
}: DuckDBMapType): arrow.Struct<{ key: arrow.DataType; value: arrow.DataType }> {
  return new arrow.Struct([
    new arrow.Field('key', arrowType(keyType), false),
    new arrow.Field('value', arrowType(valueType), true),
  ]);
}

function itemField(type: DuckDBType): arrow.Field {
  return new arrow.Field('item', arrowType(type), true);
}

const nothing: Mapping = {
  type: () => new arrow.Null(),
  data: (_, values) => arrow.makeData({ type: new arrow.Null(), length: values.length }),
};

const timestamp = (unit: arrow.TimeUnit, zone?: string) => () => new arrow.Timestamp(unit, zone);

const mappings: Readonly<Partial<Record<DuckDBTypeId, Mapping>>> = {
  [DuckDBTypeId.SQLNULL]: nothing,
  [DuckDBTypeId.BOOLEAN]: boolean,
  [DuckDBTypeId.TINYINT]: fixed<number>(() => new arrow.Int8(), Int8Array, same),
  [DuckDBTypeId.SMALLINT]: fixed<number>(() => new arrow.Int16(), Int16Array, same),
  [DuckDBTypeId.INTEGER]: fixed<number>(() => new arrow.Int32(), Int32Array, same),
  [DuckDBTypeId.BIGINT]: fixed<bigint>(() => new arrow.Int64(), BigInt64Array, same),
  [DuckDBTypeId.UTINYINT]: fixed<number>(() => new arrow.Uint8(), Uint8Array, same),
  [DuckDBTypeId.USMALLINT]: fixed<number>(() => new arrow.Uint16(), Uint16Array, same),
  [DuckDBTypeId.UINTEGER]: fixed<number>(() => new arrow.Uint32(), Uint32Array, same),
  [DuckDBTypeId.UBIGINT]: fixed<bigint>(() => new arrow.Uint64(), BigUint64Array, same),
  [DuckDBTypeId.FLOAT]: fixed<number>(() => new arrow.Float32(), Float32Array, same),
  [DuckDBTypeId.DOUBLE]: fixed<number>(() => new arrow.Float64(), Float64Array, same),
  [DuckDBTypeId.HUGEINT]: wide(
    () => new arrow.Decimal(0, 38, 128),
    (value) => value as bigint,
  ),
  [DuckDBTypeId.DECIMAL]: wide(
    (type) => new arrow.Decimal((type as DuckDBDecimalType).scale, (type as DuckDBDecimalType).width, 128),
    (value) => (value as DuckDBDecimalValue).value,
  ),
  [DuckDBTypeId.DATE]: fixed<DuckDBDateValue>(
    () => new arrow.DateDay(),
    Int32Array,
    (value) => value.days,
  ),
  [DuckDBTypeId.TIME]: fixed<DuckDBTimeValue>(
    () => new arrow.TimeMicrosecond(),
    BigInt64Array,
    (value) => value.micros,
  ),
  [DuckDBTypeId.TIMESTAMP]: fixed<DuckDBTimestampValue>(timestamp(MICROSECOND), BigInt64Array, (value) => value.micros),
  [DuckDBTypeId.TIMESTAMP_TZ]: fixed<DuckDBTimestampValue>(
    timestamp(MICROSECOND, utc),
    BigInt64Array,
    (value) => value.micros,
  ),
  [DuckDBTypeId.TIMESTAMP_S]: fixed<DuckDBTimestampSecondsValue>(
    timestamp(SECOND),
    BigInt64Array,
    (value) => value.seconds,
  ),
  [DuckDBTypeId.TIMESTAMP_MS]: fixed<DuckDBTimestampMillisecondsValue>(
    timestamp(MILLISECOND),
    BigInt64Array,
    (value) => value.millis,
  ),
  [DuckDBTypeId.TIMESTAMP_NS]: fixed<DuckDBTimestampNanosecondsValue>(
    timestamp(NANOSECOND),
    BigInt64Array,
    (value) => value.nanos,
  ),
  [DuckDBTypeId.BLOB]: blob,
  [DuckDBTypeId.LIST]: list,
  [DuckDBTypeId.ARRAY]: array,
  [DuckDBTypeId.STRUCT]: struct,
  [DuckDBTypeId.MAP]: map,
};

/** The Arrow type of a DuckDB type. VARCHAR, ENUM, UUID, INTERVAL, UHUGEINT, BIT, UNION … become text; HUGEINT decimal(38, 0). */
export function arrowType(type: DuckDBType): arrow.DataType {
  return (mappings[type.typeId] ?? text).type(type);
}

/** A column of DuckDB's values as Arrow data of `arrowType(type)`. */
export function arrowData(type: DuckDBType, values: Values): arrow.Data {
  return (mappings[type.typeId] ?? text).data(type, values);
}

/** A field that also tells DuckDB's own type, which Arrow's may be wider than. */
export function arrowField(name: string, type: DuckDBType, duckDbType: string): arrow.Field {
  return new arrow.Field(name, arrowType(type), true, new Map([['duckdb.type', duckDbType]]));
}
