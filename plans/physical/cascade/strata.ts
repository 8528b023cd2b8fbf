/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** Tuples whose score is at least `from` and below the next stratum's. */
export interface Stratum {
  readonly from: number;
  /** Tuples in the population. */
  readonly size: number;
  /** Tuples in the sample. */
  readonly taken: number;
}

/** Share of the sample that is spread evenly over the tuples; the rest goes by the square root of the score (SUPG §5.3). */
const uniformShare = 0.5;
/** Sampled tuples a stratum, and the most strata. */
const takenPerStratum = 8;
const mostStrata = 24;

/**
 * Cuts the scores into strata of about equal sampling mass, lowest first: many narrow ones where sampling is dense. Equal
 * scores stay together. One sort of a copy. The sample sizes add up to min(budget, number of scores).
 */
export function strataOf(scores: ArrayLike<number>, budget: number): Stratum[] {
  const sorted = Float64Array.from(scores).sort();
  let roots = 0;
  for (const score of sorted) roots += Math.sqrt(score);
  const even = (roots > 0 ? uniformShare : 1) / sorted.length;
  const slope = roots > 0 ? (1 - uniformShare) / roots : 0;
  const wanted = Math.min(mostStrata, Math.max(1, Math.floor(budget / takenPerStratum)));
  const cells: Cell[] = [];
  let from = 0;
  let mass = 0;
  let before = 0;
  for (let i = 0; i < sorted.length; i++) {
    mass += even + slope * Math.sqrt(sorted[i]!);
    const last = i + 1 === sorted.length;
    const full = before + mass >= (Math.floor(before * wanted + 1e-9) + 1) / wanted - 1e-12;
    if (!last && !(full && sorted[i + 1]! > sorted[i]!)) continue;
    const size = i + 1 - from;
    if (cells.length > 0 && mass < 0.5 / wanted) cells.push(joined(cells.pop()!, size, mass));
    else cells.push({ from: cells.length === 0 ? 0 : sorted[from]!, size, mass });
    before += mass;
    mass = 0;
    from = i + 1;
  }
  return allocate(cells, Math.min(budget, sorted.length));
}

interface Cell {
  readonly from: number;
  readonly size: number;
  readonly mass: number;
}

/** A sliver at the end would get no sample of its own. */
function joined(below: Cell, size: number, mass: number): Cell {
  return { from: below.from, size: below.size + size, mass: below.mass + mass };
}

/** Sample sizes in proportion to mass, by largest remainder; what a stratum cannot take goes to the others. */
function allocate(cells: readonly Cell[], budget: number): Stratum[] {
  const taken = cells.map(() => 0);
  let left = budget;
  while (left > 0) {
    const open = cells.map((cell, h) => (taken[h]! < cell.size ? cell.mass : 0));
    const total = open.reduce((sum, mass) => sum + mass, 0);
    const shares = open.map((mass, h) => Math.min((left * mass) / total, cells[h]!.size - taken[h]!));
    const whole = shares.map(Math.floor);
    const given = whole.reduce((sum, count) => sum + count, 0);
    if (given > 0) for (let h = 0; h < cells.length; h++) taken[h]! += whole[h]!;
    else for (const h of byRemainder(shares).slice(0, left)) taken[h]!++;
    left = budget - taken.reduce((sum, count) => sum + count, 0);
  }
  return cells.map(({ from, size }, h) => ({ from, size, taken: taken[h]! }));
}

function byRemainder(shares: readonly number[]): number[] {
  return shares
    .map((share, h) => ({ share, h }))
    .filter(({ share }) => share > 0)
    .sort((a, b) => b.share - a.share || a.h - b.h)
    .map(({ h }) => h);
}

/** The stratum of a score: the last whose `from` is not above it. */
export function stratumAt(strata: readonly Stratum[], score: number): number {
  let low = 0;
  let high = strata.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (strata[middle]!.from <= score) low = middle;
    else high = middle;
  }
  return low;
}
