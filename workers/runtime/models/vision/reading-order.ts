import type { TextLine } from '../../../../activities/ports.js';

const middle = ({ box }: TextLine): number => box.reduce((sum, { y }) => sum + y, 0) / box.length;
const left = ({ box }: TextLine): number => Math.min(...box.map(({ x }) => x));
const height = ({ box: [a, , , d] }: TextLine): number => Math.hypot(a.x - d.x, a.y - d.y);

/** Lines whose middles are nearer than half of their height stand side by side. Top to bottom, then left to right. */
export function inReadingOrder(lines: readonly TextLine[]): readonly TextLine[] {
  const rows: TextLine[][] = [];
  for (const line of [...lines].sort((a, b) => middle(a) - middle(b))) {
    const row = rows.at(-1);
    const before = row?.at(-1);
    const near = before !== undefined && middle(line) - middle(before) < Math.min(height(line), height(before)) / 2;
    if (row !== undefined && near) row.push(line);
    else rows.push([line]);
  }
  return rows.flatMap((row) => row.sort((a, b) => left(a) - left(b)));
}
