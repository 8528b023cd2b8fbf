import { stat } from 'node:fs/promises';
import { FermataError } from '../../../../plans/protocol/errors.js';
import { quoteText } from '../../../../plans/relation/names.js';
import { firstLine, invalidUtf8Line, openQuoteLine } from './lines.js';
import type { Fault, Reader, ReaderContext } from './reader.js';

/** Longest record in bytes, and DuckDB's read buffer, which must be larger. */
const longestLine = 16 * 1024 * 1024;
const buffer = 2 * longestLine;

/**
 * The first line names the columns, always; quotes are `"`, doubled inside. Types are found over the whole file: a sample
 * would let row 30,000 end a query. The delimiter is fixed beforehand, since a sniffer that may choose takes a broken file
 * for one with a single column.
 */
async function csv({ path, input }: ReaderContext, delimiters: readonly string[]): Promise<string> {
  if ((await stat(path)).size === 0) {
    throw new FermataError('BadData', `${input.path} is empty.`, {
      hint: 'The first line must name the columns; a file of that line alone is a table of 0 rows.',
      where: { file: input.path, table: input.name },
    });
  }
  const options = [...(await dialect(path, delimiters)), 'header = true', 'sample_size = -1'];
  return `SELECT * FROM read_csv(${quoteText(path)}, ${options.join(', ')})`;
}

async function dialect(path: string, delimiters: readonly string[]): Promise<readonly string[]> {
  const delimiter = commonest(await firstLine(path), delimiters);
  return [
    `delim = ${quoteText(delimiter)}`,
    `quote = '"'`,
    `escape = '"'`,
    `comment = ''`,
    `max_line_size = ${String(longestLine)}`,
    `buffer_size = ${String(buffer)}`,
  ];
}

/** The delimiter that the header has most of outside quotes; the first one when it has none. */
function commonest(header: string, delimiters: readonly string[]): string {
  const bare = header.replace(/"(?:[^"]|"")*"/g, '');
  const counts = delimiters.map((delimiter) => bare.split(delimiter).length);
  return delimiters[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** DuckDB names the line only when it does not have to guess types: the file is read once more as plain text. */
async function explain(context: ReaderContext, message: string, delimiters: readonly string[]): Promise<Fault> {
  const { path, session } = context;
  const badLine = await invalidUtf8Line(path);
  if (badLine !== undefined) return notUtf8(badLine);
  const open = await openQuoteLine(path);
  if (open !== undefined) {
    return {
      problem: 'a quote is opened and never closed',
      line: open,
      hint: 'Double a quote inside a quoted value: "".',
    };
  }
  const told = fault(message);
  if (told.line !== undefined) return told;
  const header = await firstLine(path);
  const [options, delimiter] = [await dialect(path, delimiters), commonest(header, delimiters)];
  const width = header.replace(/"(?:[^"]|"")*"/g, '').split(delimiter).length;
  const columns = Array.from({ length: width }, (_, index) => `'c${String(index)}': 'VARCHAR'`).join(', ');
  const fixed = ['auto_detect = false', 'header = true', 'parallel = false', `columns = {${columns}}`];
  try {
    // every column is looked at, else DuckDB skips over bad values
    const seen = Array.from({ length: width }, (_, index) => `count(c${String(index)})`).join(', ');
    await session.run(`SELECT ${seen} FROM read_csv(${quoteText(path)}, ${[...options, ...fixed].join(', ')})`);
  } catch (error) {
    return fault((error as Error).message);
  }
  return told;
}

export function notUtf8(line: number): Fault {
  return { problem: 'is not valid UTF-8', line, hint: 'Convert the file to UTF-8, for example with iconv.' };
}

function fault(message: string): Fault {
  const line = /CSV Error on Line: (\d+)/.exec(message)?.[1];
  const problem = /(Expected Number of Columns.*|Value with unterminated quote found.*|Maximum line size.*)/.exec(
    message,
  )?.[1];
  return {
    problem:
      problem ??
      message
        .split('\n')[0]
        ?.replace(/^.*Error: /, '')
        .replace(/"[^"]*"/, 'the file') ??
      'cannot be read as CSV',
    ...(line === undefined ? {} : { line: Number(line) }),
    hint: 'Each line needs as many values as the header; put values with delimiters or line ends in double quotes.',
  };
}

const comma = [',', ';', '|', '\t'];

export const csvReader: Reader = {
  read: (context) => csv(context, comma),
  explain: (context, message) => explain(context, message, comma),
};

export const tsvReader: Reader = {
  read: (context) => csv(context, ['\t']),
  explain: (context, message) => explain(context, message, ['\t']),
};
