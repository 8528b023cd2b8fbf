import { Table, Utf8, makeVector, tableFromArrays, vectorFromArray } from 'apache-arrow';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readCsv } from '../../../cli/demo/csv-reader.js';
import { type FormatName, formats } from '../../../cli/render/formats.js';
import type { RowSource } from '../../../cli/render/source.js';
import { columnWidths } from '../../../cli/render/table.js';
import { fit, oneLine, textWidth } from '../../../cli/render/width.js';

function source(table: Table): RowSource {
  return {
    columns: table.schema.fields.map((field) => ({ name: field.name, type: String(field.type) })),
    async *batches() {
      for (const batch of table.batches) yield await Promise.resolve(batch);
    },
    file: () => Promise.reject(new Error('no file here')),
    toParquet: () => Promise.reject(new Error('no parquet here')),
    envelope: { schema: 'fermata/run/1', runId: 'r' },
  };
}

async function render(format: FormatName, table: Table, columns?: number): Promise<string> {
  let text = '';
  const write = await formats[format].load();
  await write(source(table), {
    columns,
    write: (chunk) => {
      text += String(chunk);
      return Promise.resolve();
    },
    note: (remark) => {
      text += `[${remark}]\n`;
      return Promise.resolve();
    },
  });
  return text;
}

function texts(values: readonly (string | null)[]): Table {
  return new Table({ text: vectorFromArray([...values], new Utf8()) });
}

/** Characters that break naive writers, beside ordinary text. */
const trickyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom('"', ',', '\r', '\n', '|', ' ', '\t', '\\', '<', '*', '\u001b', '日', '👩‍👩‍👧', 'e\u0301'),
  }),
);

describe('csv', () => {
  it('reads back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(trickyText, trickyText), { minLength: 1, maxLength: 8 }), async (rows) => {
        const table = new Table({
          a: vectorFromArray(
            rows.map(([a]) => a),
            new Utf8(),
          ),
          'b "c", d': vectorFromArray(
            rows.map(([, b]) => b),
            new Utf8(),
          ),
        });
        const parsed = readCsv(await render('csv', table));
        expect(parsed).toEqual(rows.map(([a, b]) => ({ a, 'b "c", d': b })));
      }),
      { numRuns: 200 },
    );
  });

  it('keeps NULL and the empty text apart, and ends lines by RFC 4180', async () => {
    expect(await render('csv', texts([null, '', 'x']))).toBe('text\r\n\r\n""\r\nx\r\n');
  });
});

describe('json', () => {
  it('reads back as it was', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.option(trickyText), { minLength: 1, maxLength: 8 }), async (values) => {
        const parsed = JSON.parse(await render('json', texts(values))) as { rows: unknown };
        expect(parsed).toMatchObject({ schema: 'fermata/run/1', runId: 'r', columns: [{ name: 'text' }] });
        expect(parsed.rows).toEqual(values.map((text) => ({ text })));
        const lines = (await render('jsonl', texts(values))).trimEnd().split('\n');
        expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual(values.map((text) => ({ text })));
      }),
      { numRuns: 100 },
    );
  });

  it('is whole for a result of no rows', async () => {
    const empty = new Table({ a: makeVector(new Int32Array(0)) });
    expect(JSON.parse(await render('json', empty))).toMatchObject({ rows: [] });
    expect(await render('jsonl', empty)).toBe('');
    expect(await render('csv', empty)).toBe('a\r\n');
  });
});

describe('markdown', () => {
  it('has one line a row and one cell a column whatever the texts hold', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(trickyText, { minLength: 1, maxLength: 8 }), async (values) => {
        const lines = (await render('markdown', texts(values))).trimEnd().split('\n');
        expect(lines).toHaveLength(values.length + 2);
        for (const line of lines) expect(line.match(/(?<!\\)(?:\\\\)*\|/g)).toHaveLength(2);
      }),
    );
  });

  it('escapes markup and shows NULL', async () => {
    expect(await render('markdown', texts(['a|b\n<i>', null]))).toBe(
      '| text |\n| --- |\n| a\\|b<br>&lt;i> |\n| *NULL* |\n',
    );
  });
});

describe('table', () => {
  it('never exceeds the terminal and never breaks a line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(trickyText, trickyText, trickyText), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 8, max: 100 }),
        async (rows, width) => {
          const table = new Table(
            Object.fromEntries(
              [0, 1, 2].map((i) => [
                `column ${i}`,
                vectorFromArray(
                  rows.map((row) => row[i]!),
                  new Utf8(),
                ),
              ]),
            ),
          );
          const lines = (await render('table', table, width)).split('\n').filter((line) => !line.startsWith('['));
          expect(lines).toHaveLength(rows.length + 3);
          for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  it('cuts nothing where there is no terminal', async () => {
    const long = 'x'.repeat(5_000);
    expect(await render('table', texts([long, null, '']))).toContain(long);
  });

  it('aligns wide characters and numbers, and cannot move the cursor', async () => {
    const table = tableFromArrays({ word: ['日本', 'ab', '\u001b[2Jx'], n: Int32Array.of(1, 22, 333) });
    expect(await render('table', table, 40)).toBe(
      ['word        n', '────────  ───', '日本        1', 'ab         22', '\\x1b[2Jx  333', ''].join('\n'),
    );
  });

  it('says which columns did not fit', async () => {
    const table = tableFromArrays(
      Object.fromEntries(Array.from({ length: 9 }, (_, i) => [`column${i}`, ['value value']])),
    );
    expect(await render('table', table, 30)).toMatch(/\[5 columns do not fit and are not shown: column4, /);
  });
});

describe('widths', () => {
  it('sum up to what is there whenever each column keeps six', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 20, max: 200 }),
        (natural, available) => {
          const widths = columnWidths(natural, available);
          const total = widths.reduce((sum, width) => sum + width, 2 * (widths.length - 1));
          const least = natural.reduce((sum, width) => sum + Math.min(6, width), 2 * (widths.length - 1));
          expect(total).toBeLessThanOrEqual(Math.max(available, least));
          widths.forEach((width, i) => expect(width).toBeLessThanOrEqual(natural[i]!));
        },
      ),
    );
  });

  it('cut texts fit, never split a grapheme, and short ones stay', () => {
    fc.assert(
      fc.property(trickyText.map(oneLine), fc.integer({ min: 1, max: 30 }), (text, width) => {
        const cut = fit(text, width);
        expect(textWidth(cut)).toBeLessThanOrEqual(width);
        expect(cut === text || cut.endsWith('…')).toBe(true);
        const graphemes = [...new Intl.Segmenter('en').segment(text)].map(({ segment }) => segment);
        if (cut !== text) expect(graphemes.join('').startsWith(cut.slice(0, -1))).toBe(true);
        if (textWidth(text) <= width) expect(cut).toBe(text);
      }),
    );
  });

  it.each([
    ['abc', 3],
    ['日本', 4],
    ['👩‍👩‍👧', 2],
    ['e\u0301', 1],
    ['🇫🇷', 2],
    ['한국', 4],
    ['\u200b', 0],
  ])('%j takes %d columns', (text, width) => expect(textWidth(text)).toBe(width));
});
