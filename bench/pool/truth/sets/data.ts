import { readFileSync } from 'node:fs';
import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { readCsv } from '../../../../cli/demo/csv-reader.js';

export type CsvRow = Readonly<Record<string, string>>;

/** A CSV below a data folder. */
export function csv(folder: string, ...path: readonly string[]): readonly CsvRow[] {
  return readCsv(readFileSync(join(folder, ...path), 'utf8'));
}

export const text = (row: CsvRow, column: string): string => row[column] ?? '';

/** Lower-case hex SHA-256 of a file, undefined where it is not there. */
export function fileHash(...path: readonly string[]): string | undefined {
  try {
    return createHash('sha256')
      .update(readFileSync(join(...path)))
      .digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Evidence of a label from a column beside it: the share of rows with this row's value of `by` that have its label. A
 * label that goes against its kind is a hard one.
 */
export function agreement<T>(
  rows: readonly T[],
  label: (row: T) => string,
  by: (row: T) => string,
): (row: T) => number {
  const groups = new Map<string, { size: number; readonly labels: Map<string, number> }>();
  for (const row of rows) {
    const group = groups.get(by(row)) ?? { size: 0, labels: new Map<string, number>() };
    groups.set(by(row), group);
    group.size++;
    group.labels.set(label(row), (group.labels.get(label(row)) ?? 0) + 1);
  }
  return (row) => {
    const group = groups.get(by(row));
    return group === undefined ? 0.5 : (group.labels.get(label(row)) ?? 0) / group.size;
  };
}
