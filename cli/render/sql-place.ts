import { fit, textWidth } from './width.js';

/** Columns of context shown before the caret when a line is long. */
const before = 50;
const widest = 100;

/**
 * The line of `sql` that holds `position` (UTF-16 offset) with a caret under it:
 *
 * ```
 * 2 | WHERE AI_FILTER('{titel} is good')
 *   |                    ^
 * ```
 */
export function sqlPlace(sql: string, position: number): readonly string[] {
  const offset = Math.max(0, Math.min(position, sql.length));
  const start = sql.lastIndexOf('\n', offset - 1) + 1;
  const end = sql.indexOf('\n', offset);
  const tidy = (text: string): string =>
    text
      .replace(/\t/g, '    ')
      .replace(/\r/g, '')
      .replace(/\p{Cc}/gu, ' ');
  const left = tidy(sql.slice(start, offset));
  const right = tidy(sql.slice(offset, end === -1 ? sql.length : end));
  const leftShown = left.length > before ? `…${left.slice(left.length - before)}` : left;
  const line = String(sql.slice(0, start).split('\n').length);
  const margin = ' '.repeat(line.length);
  return [
    `${line} | ${leftShown}${fit(right, Math.max(1, widest - leftShown.length))}`,
    `${margin} | ${' '.repeat(textWidth(leftShown))}^`,
  ];
}
