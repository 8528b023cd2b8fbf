import {
  Binary,
  DateDay,
  Decimal,
  Dictionary,
  Field,
  FixedSizeList,
  Float32,
  Int32,
  Int64,
  List,
  Map_,
  Struct,
  Table,
  TimeMicrosecond,
  TimestampMicrosecond,
  Utf8,
  type Vector,
  makeData,
  makeVector,
  tableFromIPC,
  tableToIPC,
  vectorFromArray,
} from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jsonText, plainText, readVector } from '../../../cli/render/cells.js';
import { placePoint } from '../../../client/decimal.js';

/** Values as they come out of a stored result: through Arrow IPC. */
function throughIpc(vector: Vector): Vector {
  return tableFromIPC(tableToIPC(new Table({ column: vector }), 'stream')).getChildAt(0)!;
}

function jsonOf(vector: Vector): readonly string[] {
  const read = throughIpc(vector);
  return Array.from({ length: read.length }, (_, i) => jsonText(readVector(read, i)));
}

describe('exact values', () => {
  it('keeps 64-bit integers', () => {
    fc.assert(
      fc.property(
        fc.array(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }), { minLength: 1, maxLength: 5 }),
        (values) => {
          expect(jsonOf(vectorFromArray(values, new Int64()))).toEqual(values.map(String));
        },
      ),
    );
  });

  it('keeps all 38 digits of decimals, with their sign', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }),
        fc.integer({ min: 0, max: 38 }),
        (unscaled, scale) => {
          const words = Uint32Array.from({ length: 4 }, (_, i) =>
            Number((BigInt.asUintN(128, unscaled) >> BigInt(32 * i)) & 0xffffffffn),
          );
          const type = new Decimal(scale, 38, 128);
          const text = jsonOf(makeVector(makeData({ type, length: 1, data: words })))[0]!;
          expect(BigInt(text.replace('.', ''))).toBe(unscaled);
          expect(text.split('.')[1]?.length ?? 0).toBe(scale);
          expect(text).toBe(placePoint(unscaled, scale));
        },
      ),
    );
  });

  it.each([
    [0n, '1970-01-01T00:00:00'],
    [1n, '1970-01-01T00:00:00.000001'],
    [-1n, '1969-12-31T23:59:59.999999'],
    [1_700_000_000_123_456n, '2023-11-14T22:13:20.123456'],
    [1_700_000_000_500_000n, '2023-11-14T22:13:20.5'],
  ])('keeps microseconds: %d', (micros, text) => {
    const plain = makeData({ type: new TimestampMicrosecond(null), length: 1, data: BigInt64Array.of(micros) });
    const zoned = makeData({ type: new TimestampMicrosecond('UTC'), length: 1, data: BigInt64Array.of(micros) });
    expect(jsonOf(makeVector(plain))).toEqual([`"${text}"`]);
    expect(jsonOf(makeVector(zoned))).toEqual([`"${text}Z"`]);
  });

  it('reads dates before 1970 and times of day', () => {
    expect(jsonOf(makeVector(makeData({ type: new DateDay(), length: 2, data: Int32Array.of(-1, 19_000) })))).toEqual([
      '"1969-12-31"',
      '"2022-01-08"',
    ]);
    const times = makeData({ type: new TimeMicrosecond(), length: 1, data: BigInt64Array.of(86_399_999_999n) });
    expect(jsonOf(makeVector(times))).toEqual(['"23:59:59.999999"']);
  });

  it('prints a 32-bit float as the shortest decimal of that float', () => {
    expect(jsonOf(vectorFromArray([0.1, 16_777_216, Number.NaN, Number.POSITIVE_INFINITY], new Float32()))).toEqual([
      '0.1',
      '16777216',
      '"NaN"',
      '"Infinity"',
    ]);
  });
});

describe('nested values', () => {
  it('reads lists, structs, maps and what is NULL within them', () => {
    const list = new List(new Field('item', new Int32(), true));
    const struct = new Struct([new Field('a', new Int32(), true), new Field('b', list, true)]);
    expect(
      jsonOf(vectorFromArray([{ a: 1, b: [1, null] }, null, { a: null, b: null }, { a: 2, b: [] }], struct)),
    ).toEqual(['{"a":1,"b":[1,null]}', 'null', '{"a":null,"b":null}', '{"a":2,"b":[]}']);
    const entries = new Struct<{ key: Utf8; value: Int32 }>([
      new Field('key', new Utf8(), false),
      new Field('value', new Int32(), true),
    ]);
    const map = new Map_(new Field('entries', entries, false));
    expect(jsonOf(vectorFromArray([new Map([['x', 1]]), new Map([['y', 2]])] as never, map as never))).toEqual([
      '{"x":1}',
      '{"y":2}',
    ]);
    const fixed = new FixedSizeList(2, new Field('item', new Float32(), true));
    expect(
      jsonOf(
        vectorFromArray(
          [
            [1, 2],
            [3, 4],
          ],
          fixed,
        ),
      ),
    ).toEqual(['[1,2]', '[3,4]']);
  });

  it('reads dictionaries and blobs', () => {
    expect(jsonOf(vectorFromArray(['a', 'b', 'a', null], new Dictionary(new Utf8(), new Int32())))).toEqual([
      '"a"',
      '"b"',
      '"a"',
      'null',
    ]);
    expect(jsonOf(vectorFromArray([Uint8Array.of(0, 255), null], new Binary()))).toEqual(['"AP8="', 'null']);
  });

  it('reads columns of several chunks', () => {
    const chunks = vectorFromArray([1, 2], new Int32()).concat(vectorFromArray([3], new Int32()));
    expect([0, 1, 2].map((i) => readVector(chunks, i))).toEqual([1, 2, 3]);
  });
});

it('tells NULL, the empty text and the word NULL apart in JSON, and gives CSV plain text', () => {
  expect(jsonOf(vectorFromArray([null, '', 'NULL'], new Utf8()))).toEqual(['null', '""', '"NULL"']);
  expect(plainText(new Map([['a', [1n, null]]]))).toBe('{"a":[1,null]}');
});
