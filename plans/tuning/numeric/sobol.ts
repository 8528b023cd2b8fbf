/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { deriveSeed, mulberry32 } from './random.js';

/**
 * Primitive polynomials and initial direction numbers of Joe and Kuo (2008), dimensions 2 to 32 of `new-joe-kuo-6`:
 * [polynomial coefficients, m_1, m_2, …]; the degree is the number of m's.
 */
const joeKuo: readonly (readonly number[])[] = [
  [0, 1],
  [1, 1, 3],
  [1, 1, 3, 1],
  [2, 1, 1, 1],
  [1, 1, 1, 3, 3],
  [4, 1, 3, 5, 13],
  [2, 1, 1, 5, 5, 17],
  [4, 1, 1, 5, 5, 5],
  [7, 1, 1, 7, 11, 19],
  [11, 1, 1, 5, 1, 1],
  [13, 1, 1, 1, 3, 11],
  [14, 1, 3, 5, 5, 31],
  [1, 1, 3, 3, 9, 7, 49],
  [13, 1, 1, 1, 15, 21, 21],
  [16, 1, 3, 1, 13, 27, 49],
  [19, 1, 1, 1, 15, 7, 5],
  [22, 1, 3, 1, 15, 13, 25],
  [25, 1, 1, 5, 5, 19, 61],
  [1, 1, 3, 7, 11, 23, 15, 103],
  [4, 1, 3, 7, 13, 13, 15, 69],
  [7, 1, 1, 3, 13, 7, 35, 63],
  [8, 1, 3, 5, 9, 1, 25, 53],
  [14, 1, 3, 1, 13, 9, 35, 107],
  [19, 1, 3, 1, 5, 27, 61, 31],
  [21, 1, 1, 5, 11, 19, 41, 61],
  [28, 1, 3, 5, 3, 3, 13, 69],
  [31, 1, 1, 7, 13, 1, 19, 1],
  [32, 1, 3, 7, 5, 13, 19, 59],
  [37, 1, 1, 3, 9, 25, 29, 41],
  [41, 1, 3, 5, 13, 23, 1, 55],
  [42, 1, 3, 7, 3, 13, 59, 17],
];

/** Dimensions with a Sobol sequence of their own; further ones are plain seeded uniforms. */
export const sobolDimensions = joeKuo.length + 1;

/** A stream of points in [0, 1)^d. */
export interface PointStream {
  next(): Float64Array;
}

/**
 * Sobol sequence with nested uniform (Owen) scrambling by hashing, after Laine and Karras.
 *
 * @example
 * const points = scrambledSobol(3, 42);
 * points.next(); // Float64Array(3)
 */
export function scrambledSobol(dimensions: number, seed: number): PointStream {
  const covered = Math.min(dimensions, sobolDimensions);
  const directions = Array.from({ length: covered }, (_, dimension) => directionNumbers(dimension));
  const seeds = Array.from({ length: covered }, (_, dimension) => deriveSeed(seed, dimension, 0x50b01));
  const rest = mulberry32(deriveSeed(seed, 0x4e57));
  const state = new Uint32Array(covered);
  let index = 0;
  return {
    next() {
      const point = new Float64Array(dimensions);
      for (let d = 0; d < covered; d++) point[d] = scramble(state[d]!, seeds[d]!) / 4294967296;
      for (let d = covered; d < dimensions; d++) point[d] = rest.uniform();
      const bit = trailingOnes(index);
      for (let d = 0; d < covered; d++) state[d] = state[d]! ^ directions[d]![bit]!;
      index++;
      return point;
    },
  };
}

function directionNumbers(dimension: number): Uint32Array {
  const v = new Uint32Array(32);
  if (dimension === 0) {
    for (let i = 0; i < 32; i++) v[i] = 2 ** (31 - i);
    return v;
  }
  const [polynomial, ...m] = joeKuo[dimension - 1]!;
  const degree = m.length;
  for (let i = 0; i < degree; i++) v[i] = m[i]! * 2 ** (31 - i);
  for (let i = degree; i < 32; i++) {
    let next = v[i - degree]! ^ (v[i - degree]! >>> degree);
    for (let k = 1; k < degree; k++) if ((polynomial! >>> (degree - 1 - k)) & 1) next ^= v[i - k]!;
    v[i] = next;
  }
  return v;
}

function trailingOnes(value: number): number {
  let bit = 0;
  while ((value >>> bit) & 1) bit++;
  return bit;
}

function scramble(value: number, seed: number): number {
  let x = reverseBits(value);
  x = (x + seed) >>> 0;
  x ^= Math.imul(x, 0x6c50b47c);
  x ^= Math.imul(x, 0xb82f1e52);
  x ^= Math.imul(x, 0xc7afe638);
  x ^= Math.imul(x, 0x8d22f6e6);
  return reverseBits(x >>> 0);
}

function reverseBits(value: number): number {
  let x = value >>> 0;
  x = ((x >>> 1) & 0x55555555) | ((x & 0x55555555) << 1);
  x = ((x >>> 2) & 0x33333333) | ((x & 0x33333333) << 2);
  x = ((x >>> 4) & 0x0f0f0f0f) | ((x & 0x0f0f0f0f) << 4);
  x = ((x >>> 8) & 0x00ff00ff) | ((x & 0x00ff00ff) << 8);
  return ((x >>> 16) | (x << 16)) >>> 0;
}
