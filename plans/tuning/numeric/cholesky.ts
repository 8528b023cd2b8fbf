/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** Lower triangle L of a symmetric positive definite matrix A + jitter·I = L·Lᵀ, row by row in one array. */
export interface Cholesky {
  readonly size: number;
  readonly lower: Float64Array;
  /** What had to be added to the diagonal; 0 for a well-conditioned matrix. */
  readonly jitter: number;
}

/** Factor of exactly `matrix`, or undefined when it is not numerically positive definite. */
export function factor(matrix: Float64Array, size: number, jitter = 0): Cholesky | undefined {
  const lower = new Float64Array(size * size);
  for (let i = 0; i < size; i++) {
    const rowI = i * size;
    for (let j = 0; j < i; j++) {
      const rowJ = j * size;
      let sum = matrix[rowI + j]!;
      for (let k = 0; k < j; k++) sum -= lower[rowI + k]! * lower[rowJ + k]!;
      lower[rowI + j] = sum / lower[rowJ + j]!;
    }
    let diagonal = matrix[rowI + i]! + jitter;
    const given = diagonal;
    for (let k = 0; k < i; k++) diagonal -= lower[rowI + k]! ** 2;
    // Below rounding level of what was subtracted, the pivot is noise.
    if (!(diagonal > 1e-14 * given) || !Number.isFinite(diagonal)) return undefined;
    lower[rowI + i] = Math.sqrt(diagonal);
  }
  return { size, lower, jitter };
}

/**
 * Factor of `matrix` with the least jitter of a ladder (0, then 1e-10 … 1e-1 of the mean diagonal) that works;
 * undefined when the matrix holds NaN or is far from positive definite.
 */
export function factorWithJitter(matrix: Float64Array, size: number): Cholesky | undefined {
  let mean = 0;
  for (let i = 0; i < size; i++) mean += Math.abs(matrix[i * size + i]!) / size;
  if (!Number.isFinite(mean)) return undefined;
  for (let exponent = -11; exponent <= -1; exponent++) {
    const found = factor(matrix, size, exponent === -11 ? 0 : Math.max(mean, 1e-300) * 10 ** exponent);
    if (found) return found;
  }
  return undefined;
}

/**
 * Factor of the matrix extended by one row: O(n²) instead of O(n³). The new pivot is kept above `floor` times the new
 * diagonal, so that a near copy of an earlier row cannot break the factor.
 */
export function appendRow(base: Cholesky, cross: Float64Array, diagonal: number, floor = 1e-12): Cholesky {
  const { size } = base;
  const next = size + 1;
  const lower = new Float64Array(next * next);
  for (let i = 0; i < size; i++) for (let j = 0; j <= i; j++) lower[i * next + j] = base.lower[i * size + j]!;
  const row = solveLower(base, cross);
  let pivot = diagonal + base.jitter;
  for (let j = 0; j < size; j++) {
    lower[size * next + j] = row[j]!;
    pivot -= row[j]! ** 2;
  }
  lower[size * next + size] = Math.sqrt(Math.max(pivot, floor * diagonal));
  return { size: next, lower, jitter: base.jitter };
}

/** x with L·x = b. */
export function solveLower({ size, lower }: Cholesky, b: Float64Array): Float64Array {
  const x = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const row = i * size;
    let sum = b[i]!;
    for (let k = 0; k < i; k++) sum -= lower[row + k]! * x[k]!;
    x[i] = sum / lower[row + i]!;
  }
  return x;
}

/** x with Lᵀ·x = b. */
export function solveUpper({ size, lower }: Cholesky, b: Float64Array): Float64Array {
  const x = b.slice();
  for (let i = size - 1; i >= 0; i--) {
    const row = i * size;
    const value = x[i]! / lower[row + i]!;
    x[i] = value;
    for (let k = 0; k < i; k++) x[k] = x[k]! - lower[row + k]! * value;
  }
  return x;
}

/** x with A·x = b. */
export function solve(cholesky: Cholesky, b: Float64Array): Float64Array {
  return solveUpper(cholesky, solveLower(cholesky, b));
}

/** ln det A. */
export function logDeterminant({ size, lower }: Cholesky): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += Math.log(lower[i * size + i]!);
  return 2 * sum;
}

/** A⁻¹, full and symmetric. */
export function invert(cholesky: Cholesky): Float64Array {
  const { size, lower } = cholesky;
  // Columns of L⁻¹ first (lower triangular), stored as rows so that the products below run along memory.
  const columns = new Float64Array(size * size);
  for (let c = 0; c < size; c++) {
    const column = c * size;
    columns[column + c] = 1 / lower[c * size + c]!;
    for (let i = c + 1; i < size; i++) {
      const row = i * size;
      let sum = 0;
      for (let k = c; k < i; k++) sum -= lower[row + k]! * columns[column + k]!;
      columns[column + i] = sum / lower[row + i]!;
    }
  }
  const inverse = new Float64Array(size * size);
  for (let i = 0; i < size; i++)
    for (let j = 0; j <= i; j++) {
      let sum = 0;
      for (let k = i; k < size; k++) sum += columns[i * size + k]! * columns[j * size + k]!;
      inverse[i * size + j] = sum;
      inverse[j * size + i] = sum;
    }
  return inverse;
}
