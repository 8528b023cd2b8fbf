/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** Stationary kernels of the scaled distance r² = Σ_j (Δ_j/ℓ_j)². */
export type KernelName = keyof typeof kernels;

interface Kernel {
  /** Correlation at squared distance r². */
  readonly value: (r2: number) => number;
  /** d value / d r². */
  readonly slope: (r2: number) => number;
}

const root5 = Math.sqrt(5);

export const kernels = {
  matern52: {
    value: (r2) => {
      const a = Math.sqrt(5 * r2);
      return (1 + a + (5 / 3) * r2) * Math.exp(-a);
    },
    slope: (r2) => {
      const a = root5 * Math.sqrt(r2);
      return (-5 / 6) * (1 + a) * Math.exp(-a);
    },
  },
  rbf: {
    value: (r2) => Math.exp(-0.5 * r2),
    slope: (r2) => -0.5 * Math.exp(-0.5 * r2),
  },
} as const satisfies Record<string, Kernel>;

/**
 * What a Gaussian process is fitted to. A categorical choice is one coordinate that holds the index of the choice; its
 * Δ is 0 or 1 (equal or not), which is the distance of scaled one-hot vectors, so the kernel stays positive definite.
 */
export interface Inputs {
  readonly count: number;
  readonly dimensions: number;
  /** Row after row, `count × dimensions`. */
  readonly x: Float64Array;
  readonly categorical: Uint8Array;
}

/** Squared difference of coordinate j of two rows. */
function squared(a: number, b: number, categorical: number): number {
  const delta = categorical ? Number(a !== b) : a - b;
  return delta * delta;
}

/** Scaled squared distance of row i of `inputs` to `point` (starting at `offset`). */
export function distance(inputs: Inputs, i: number, point: Float64Array, inverse2: Float64Array, offset = 0): number {
  const { dimensions, x, categorical } = inputs;
  const row = i * dimensions;
  let sum = 0;
  for (let j = 0; j < dimensions; j++) sum += squared(x[row + j]!, point[offset + j]!, categorical[j]!) * inverse2[j]!;
  return sum;
}

/** Adds weight · d k(row i, point)/d point to `out`; categorical coordinates have no slope. */
export function addPointSlope(
  inputs: Inputs,
  i: number,
  point: Float64Array,
  { inverse2, weight, out }: { readonly inverse2: Float64Array; readonly weight: number; readonly out: Float64Array },
): void {
  const { dimensions, x, categorical } = inputs;
  const row = i * dimensions;
  for (let j = 0; j < dimensions; j++)
    if (!categorical[j]) out[j]! += weight * 2 * (point[j]! - x[row + j]!) * inverse2[j]!;
}

/** All scaled squared distances among the rows, full symmetric matrix. */
export function distances(inputs: Inputs, inverse2: Float64Array): Float64Array {
  const { count, dimensions, x } = inputs;
  const r2 = new Float64Array(count * count);
  for (let i = 0; i < count; i++)
    for (let k = 0; k < i; k++) {
      const value = distance(inputs, i, x, inverse2, k * dimensions);
      r2[i * count + k] = value;
      r2[k * count + i] = value;
    }
  return r2;
}

/** Adds Σ_{i,k<i} weights[i,k] · Δ_ikj² for every coordinate j to `out`. */
export function addWeightedSquares(inputs: Inputs, weights: Float64Array, out: Float64Array): void {
  const { count, dimensions, x, categorical } = inputs;
  for (let i = 0; i < count; i++)
    for (let k = 0; k < i; k++) {
      const weight = weights[i * count + k]!;
      for (let j = 0; j < dimensions; j++)
        out[j]! += weight * squared(x[i * dimensions + j]!, x[k * dimensions + j]!, categorical[j]!);
    }
}
