/** Which inputs of a call a search looks at. */
import { inputFeatures } from '../physical/routed/inputs.js';
import { deriveSeed, mulberry32 } from '../tuning/numeric/random.js';

/** Inputs among which a sample is drawn, at most: features of all of a large input would not fit into memory. */
export const mostConsidered = 5_000;

/** An input's place in the draw; those of the lowest ones are considered. */
export function priorityOf(input: number, seed: number): number {
  return mulberry32(deriveSeed(seed, input)).uniform();
}

/**
 * Places of `size` of the rows, ascending: every ⌈n/size⌉-th of them in an order in which alike rows stand together (by length,
 * then by marks and digits), from a place that the seed draws. All of them where there are no more. Each row has the same chance.
 */
export function stratifiedSample(rows: readonly (readonly string[])[], size: number, seed: number): readonly number[] {
  if (rows.length <= size) return [...rows.keys()];
  const { names, values } = inputFeatures(rows);
  const [length, marks, digits] = ['length', 'marks', 'digits'].map((name) =>
    sumOf(values.filter((_, at) => names[at]?.endsWith(` ${name}`) === true)),
  );
  const at = (column: Float64Array | undefined, row: number): number => column?.[row] ?? 0;
  const bySize = [...rows.keys()].sort((a, b) => at(length, a) - at(length, b) || a - b);
  const stratum = new Map(bySize.map((row, place) => [row, Math.floor((strata * place) / rows.length)]));
  const odd = (row: number): number => at(marks, row) + at(digits, row);
  const order = bySize.sort((a, b) => (stratum.get(a) ?? 0) - (stratum.get(b) ?? 0) || odd(a) - odd(b) || a - b);
  const offset = mulberry32(seed).uniform();
  const step = rows.length / size;
  const chosen = Array.from({ length: size }, (_, k) => order[Math.floor((k + offset) * step)] ?? 0);
  return chosen.sort((a, b) => a - b);
}

const strata = 5;

function sumOf(columns: readonly Float64Array[]): Float64Array {
  const sum = new Float64Array(columns[0]?.length ?? 0);
  for (const column of columns) for (const [row, value] of column.entries()) sum[row] = (sum[row] ?? 0) + value;
  return sum;
}
