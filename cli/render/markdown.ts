import { type Cell, plainText } from './cells.js';
import type { Sink } from './formats.js';
import { type RowSource, readRows } from './source.js';

function escape(text: string): string {
  return text
    .replace(/[\\|`*_<&]/g, (character) =>
      character === '<' ? '&lt;' : character === '&' ? '&amp;' : `\\${character}`,
    )
    .replace(/\r\n|[\r\n]/g, '<br>');
}

function cellText(cell: Cell): string {
  return cell === null ? '*NULL*' : escape(plainText(cell));
}

/** A GitHub-flavoured table; line breaks become `<br>`, markup characters are escaped. */
export async function writeMarkdown(source: RowSource, sink: Sink): Promise<void> {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |\n`;
  await sink.write(line(source.columns.map((column) => escape(column.name))));
  await sink.write(line(source.columns.map(() => '---')));
  for await (const row of readRows(source)) await sink.write(line(row.map(cellText)));
}
