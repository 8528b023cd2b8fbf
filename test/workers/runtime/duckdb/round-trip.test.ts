import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TableInput } from '../../../../plans/protocol/run.js';
import { convertResult } from '../../../../workers/runtime/duckdb/convert-result.js';
import { call, openWorkshop, records, simulate, type Workshop } from '../../../support/relations.js';

let workshop: Workshop;
beforeAll(async () => {
  workshop = await openWorkshop();
});
afterAll(() => workshop.close());

interface Row {
  readonly id: number;
  readonly text: string | null;
}

const field = (text: string) => `"${text.replaceAll('"', '""')}"`;

/** The same rows in each format. An empty text is NULL in CSV, as DuckDB reads it, so none is made. */
const formats: Readonly<
  Record<string, (rows: readonly Row[]) => Promise<[TableInput['format'], string | Uint8Array]>>
> = {
  csv: (rows) =>
    Promise.resolve([
      'csv',
      `id,text\n${rows.map(({ id, text }) => `${String(id)},${text === null ? '' : field(text)}\n`).join('')}`,
    ]),
  json: (rows) => Promise.resolve(['json', rows.map((row) => `${JSON.stringify(row)}\n`).join('')]),
  arrow: (rows) => Promise.resolve(['arrow', arrowOf(rows)]),
  parquet: async (rows) => {
    const { writeFile } = await import('node:fs/promises');
    const [arrowPath, outPath] = [join(workshop.dir, 'in.arrow'), join(workshop.dir, 'in.parquet')];
    await writeFile(arrowPath, arrowOf(rows));
    await convertResult({ arrowPath, format: 'parquet', outPath, tempDir: workshop.dir });
    return ['parquet', await readFile(outPath)];
  },
};

function arrowOf(rows: readonly Row[]): Uint8Array {
  const id = arrow.vectorFromArray(
    rows.map((row) => BigInt(row.id)),
    new arrow.Int64(),
  );
  const text = arrow.vectorFromArray(
    rows.map((row) => row.text),
    new arrow.Utf8(),
  );
  return arrow.tableToIPC(new arrow.Table({ id, text }), 'stream');
}

const words = fc.oneof(
  fc.constantFrom('yes', 'no', '🍎', 'a "quoted" word', "it's", '{0} {{x}}', 'line\nend', 'NULL', 'x,y;z', 'see a.png'),
  fc
    .string({ unit: 'grapheme', minLength: 1, maxLength: 20 })
    .filter((text) => !/[\0\r\uFEFF]/.test(text) && text.trim() !== ''),
);
const texts = fc.array(fc.option(words, { freq: 4 }), { maxLength: 12 });
const rowsOf = (values: readonly (string | null)[]) => values.map((text, id): Row => ({ id, text }));

/** Without a text that can be nothing else, CSV holding only `yes` is a column of BOOLEAN, and JSON of no record has no columns. */
const untyped: Readonly<Record<string, boolean>> = { csv: true, json: true };
const tablesOf = (name: string) =>
  texts.map((values) => rowsOf(untyped[name] === true ? ['plain words', ...values] : values));

test.each(Object.keys(formats))('%s: snapshot, inputs, answers and result are what the rows say', async (name) => {
  const make = formats[name]!;
  await fc.assert(
    fc.asyncProperty(tablesOf(name), fc.integer({ min: 1, max: 5 }), async (rows, partitionRows) => {
      const [format, bytes] = await make(rows);
      const table = await workshop.snapshot(bytes, format);
      expect(table.rows).toBe(rows.length);
      const run = await simulate(workshop, table, {
        calls: [call('f0', ['t.text::VARCHAR']), call('c0', ['t.text::VARCHAR'], { kind: 'string' })],
        finalSql: 'SELECT id::INTEGER AS id, text::VARCHAR AS text, __a_c0 AS said FROM __rows AS t',
        answer: (each, { values: [text = ''] }) => {
          if (each.id === 'c0') return { state: 'ok', value: JSON.stringify(`<${text}>`) };
          return { state: 'ok', value: String(text.length % 2 === 0) };
        },
        partitionRows,
      });
      const distinct = [...new Set(rows.flatMap(({ text }) => (text === null ? [] : [text])))];
      const asked = run.asked.filter((each) => each.call === 'f0').flatMap((each) => each.rows);
      expect(asked.map(({ values }) => values[0])).toEqual(distinct);
      const want = rows.filter(({ text }) => text !== null && text.length % 2 === 0);
      expect(records(run.rows)).toEqual(want.map(({ id, text }) => ({ id, text, said: `<${String(text)}>` })));
    }),
    { numRuns: 3, examples: name === 'json' ? [] : [[[], 1]] },
  );
});
