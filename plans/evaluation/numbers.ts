/** How far a number is from the right one. */

/** |found − gold| / |gold|; 0 when both are 0, infinite when only gold is. */
export function relativeError(found: number, gold: number): number {
  if (found === gold) return 0;
  return Math.abs(found - gold) / Math.abs(gold);
}

/** The error of a whole result: its one row's number, text of a number being read; any other number of rows is an error of 1. */
export function resultError(rows: readonly (number | string)[], gold: number): number {
  const [row] = rows;
  if (row === undefined || rows.length !== 1) return 1;
  const found = typeof row === 'string' && row.trim() === '' ? Number.NaN : Number(row);
  return Number.isNaN(found) ? 1 : relativeError(found, gold);
}

/** Mean relative error over the labels of either side; one that gold lacks, or the result, counts as 1 unless it is 0. */
export function groupedError(found: Readonly<Record<string, number>>, gold: Readonly<Record<string, number>>): number {
  const labels = [...new Set([...Object.keys(found), ...Object.keys(gold)])];
  const errors = labels.map((label) => {
    const [ours = 0, real = 0] = [found[label], gold[label]];
    return real === 0 ? Number(ours !== 0) : relativeError(ours, real);
  });
  return errors.reduce((total, error) => total + error, 0) / errors.length;
}

/** Quality of an error, in [0, 1]: 1 / (1 + error). */
export function errorQuality(error: number): number {
  return 1 / (1 + error);
}
