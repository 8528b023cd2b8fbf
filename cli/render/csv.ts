import { type Cell, plainText } from './cells.js';
import type { Sink } from './formats.js';
import { type RowSource, readRows } from './source.js';

const needsQuotes = /[",\r\n]|^\s|\s$/;

/** One field by RFC 4180. NULL is an empty field; an empty text is `""`, so that the two stay apart. */
export function csvField(cell: Cell): string {
  if (cell === null) return '';
  const text = plainText(cell);
  return text === '' || needsQuotes.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** RFC 4180 with a header line and CRLF line ends. */
export async function writeCsv(source: RowSource, sink: Sink): Promise<void> {
  await sink.write(`${source.columns.map((column) => csvField(column.name)).join(',')}\r\n`);
  for await (const row of readRows(source)) await sink.write(`${row.map(csvField).join(',')}\r\n`);
}
