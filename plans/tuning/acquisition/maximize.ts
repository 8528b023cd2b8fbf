/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { Encoding } from '../encoding.js';
import { minimize } from '../numeric/minimize.js';
import { mulberry32 } from '../numeric/random.js';
import { scrambledSobol } from '../numeric/sobol.js';
import type { KnownTerms } from './channel.js';
import type { Acquisition } from './improvement.js';

/** A point that an acquisition function was looked at, with its log value. */
export interface Candidate {
  readonly coordinates: Float64Array;
  readonly logValue: number;
}

export interface MaximizeOptions {
  readonly seed: number;
  /** Points that look good; the search also starts around them. */
  readonly centres: readonly Float64Array[];
  /** Points looked at before gradient steps, and how many of the best go on to these. */
  readonly raw: number;
  readonly starts: number;
  readonly iterations: number;
}

const knownStep = 1e-4;

/**
 * Candidates, best first: raw points (Sobol, and steps of three sizes around the centres), the best of them improved by
 * L-BFGS, categorical choices by trying each in turn.
 */
export function maximize(
  acquisition: Acquisition,
  encoding: Encoding,
  known: KnownTerms,
  options: MaximizeOptions,
): Candidate[] {
  const value = (coordinates: Float64Array) => acquisition(encoding.features(coordinates), known.values(coordinates));
  const raw = rawPoints(encoding, options).map((coordinates) => ({ coordinates, logValue: value(coordinates) }));
  raw.sort(byValue);
  const improved = spreadOut(raw, options.starts).map((candidate) => {
    let found = climb(acquisition, encoding, known, candidate, options.iterations);
    for (let round = 0; round < 2; round++) {
      const other = bestChoices(encoding, found, value);
      if (other === found) break;
      found = climb(acquisition, encoding, known, other, options.iterations);
    }
    return found;
  });
  return [...improved, ...raw].sort(byValue);
}

function byValue(a: Candidate, b: Candidate): number {
  return (Number.isNaN(b.logValue) ? -Infinity : b.logValue) - (Number.isNaN(a.logValue) ? -Infinity : a.logValue) || 0;
}

function rawPoints(encoding: Encoding, { seed, centres, raw }: MaximizeOptions): Float64Array[] {
  const points: Float64Array[] = [];
  const sobol = scrambledSobol(encoding.dimensions, seed);
  const around = centres.length > 0 ? Math.floor(raw / 2) : 0;
  for (let i = 0; i < raw - around; i++) points.push(encoding.fromUniform(sobol.next()));
  const random = mulberry32(seed);
  for (let i = 0; i < around; i++) points.push(stepFrom(centres[i % centres.length]!, i, encoding, random));
  return points;
}

/** A normal step on about a third of the coordinates, of every third size in turn. */
function stepFrom(
  centre: Float64Array,
  turn: number,
  { choices }: Encoding,
  random: ReturnType<typeof mulberry32>,
): Float64Array {
  const size = [0.02, 0.08, 0.25][turn % 3]!;
  const share = Math.max(1 / centre.length, [0.35, 1][turn % 2]!);
  return centre.map((value, j) => {
    if (random.uniform() > share) return value;
    const count = choices[j]!;
    if (count > 0) return Math.min(count - 1, Math.floor(random.uniform() * count));
    return Math.min(1, Math.max(0, value + size * random.normal()));
  });
}

/** The best candidates that are not close to a better one. */
function spreadOut(sorted: readonly Candidate[], count: number): Candidate[] {
  const chosen: Candidate[] = [];
  for (const candidate of sorted) {
    if (chosen.length >= count) break;
    const far = chosen.every(({ coordinates }) => largestStep(coordinates, candidate.coordinates) > 0.05);
    if (far) chosen.push(candidate);
  }
  return chosen;
}

/** Largest difference of two points in one coordinate. */
export function largestStep(a: Float64Array, b: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < a.length; i++) largest = Math.max(largest, Math.abs(a[i]! - b[i]!));
  return largest;
}

function climb(
  acquisition: Acquisition,
  encoding: Encoding,
  known: KnownTerms,
  from: Candidate,
  maxIterations: number,
): Candidate {
  const lower = from.coordinates.map((value, j) => (encoding.choices[j] ? value : 0));
  const upper = from.coordinates.map((value, j) => (encoding.choices[j] ? value : 1));
  const { dimensions } = encoding;
  const found = minimize(
    (coordinates, gradient) => {
      const slopes = { features: new Float64Array(dimensions), known: new Float64Array(known.count) };
      const logValue = acquisition(encoding.features(coordinates), known.values(coordinates), slopes);
      const total = encoding.pullBack(coordinates, slopes.features);
      addKnownSlopes(known, encoding, coordinates, slopes.known, total);
      for (let j = 0; j < dimensions; j++) gradient[j] = -total[j]!;
      return -logValue;
    },
    from.coordinates,
    { lower, upper, maxIterations, gradientTolerance: 1e-5, valueTolerance: 1e-8 },
  );
  return { coordinates: found.x, logValue: -found.value };
}

/** Known terms are programs of the caller: their slopes are central differences, one-sided at a bound. */
function addKnownSlopes(
  known: KnownTerms,
  { dimensions, choices }: Encoding,
  coordinates: Float64Array,
  weights: Float64Array,
  out: Float64Array,
): void {
  if (known.count === 0) return;
  const probe = coordinates.slice();
  for (let j = 0; j < dimensions; j++) {
    if (choices[j]) continue;
    const high = Math.min(1, coordinates[j]! + knownStep);
    const low = Math.max(0, coordinates[j]! - knownStep);
    probe[j] = high;
    const above = known.values(probe);
    probe[j] = low;
    const below = known.values(probe);
    probe[j] = coordinates[j]!;
    for (let k = 0; k < known.count; k++) out[j]! += (weights[k]! * (above[k]! - below[k]!)) / (high - low);
  }
}

function bestChoices(encoding: Encoding, from: Candidate, value: (coordinates: Float64Array) => number): Candidate {
  let best = from;
  encoding.choices.forEach((count, j) => {
    for (let choice = 0; choice < count; choice++) {
      if (choice === best.coordinates[j]) continue;
      const coordinates = best.coordinates.with(j, choice);
      const logValue = value(coordinates);
      if (logValue > best.logValue) best = { coordinates, logValue };
    }
  });
  return best;
}
