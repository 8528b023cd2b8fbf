/** Random draws that depend on names alone: the same seed, model, row and task give the same draw in any order of calls. */
import { mulberry32, type Random } from '../../plans/tuning/numeric/random.js';

/** FNV-1a over UTF-16 units with the finaliser of MurmurHash3, 32 bits; parts are told apart by a separator. */
export function hashOf(...parts: readonly (string | number)[]): number {
  let hash = 0x811c9dc5;
  for (const part of parts) {
    const text = String(part);
    for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ 0x1f, 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/** A stream of its own for these names. */
export function drawsOf(...parts: readonly (string | number)[]): Random {
  return mulberry32(hashOf(...parts));
}

/** A stream's next choice; undefined only for an empty list. */
export function pick<T>(random: Random, from: readonly T[]): T | undefined {
  return from[Math.min(from.length - 1, Math.floor(random.uniform() * from.length))];
}

/** Gamma(shape, 1) by Marsaglia and Tsang 2000, with their boost for shapes below 1. */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * Math.max(random.uniform(), 1e-12) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(Math.max(random.uniform(), 1e-12)) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}

/** Beta with this mean in [0,1] and concentration α + β; a mean at an end is a constant. */
export function beta(random: Random, mean: number, concentration: number): number {
  if (mean <= 0 || mean >= 1) return Math.min(1, Math.max(0, mean));
  const a = gamma(random, mean * concentration);
  const b = gamma(random, (1 - mean) * concentration);
  return a + b === 0 ? mean : a / (a + b);
}
