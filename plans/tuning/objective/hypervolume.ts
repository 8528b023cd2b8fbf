/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** A point of three numbers to maximise. */
export type Point3 = readonly [number, number, number];

/** A box of the space that no front point dominates, upwards unbounded in y: z in [zLow, zHigh), x in [xLow, xHigh), y ≥ yLow. */
export interface FreeBox {
  readonly xLow: number;
  readonly xHigh: number;
  readonly yLow: number;
  readonly zLow: number;
  readonly zHigh: number;
}

interface Strip {
  xLow: number;
  xHigh: number;
  yLow: number;
  /** Height at which this strip began; the sweep goes downwards. */
  zHigh: number;
}

/**
 * Exact volume of the union of boxes [0, p], by a sweep from the highest z down over the staircase of (x, y). Points with a
 * coordinate ≤ 0 add nothing.
 */
export function hypervolume(points: readonly Point3[]): number {
  const { strips, levels } = prepare(points);
  let volume = 0;
  let area = 0;
  levels.forEach(([x, y, z], i) => {
    insert(strips, x, y, z, () => undefined);
    area = 0;
    for (const strip of strips) if (Number.isFinite(strip.xHigh)) area += (strip.xHigh - strip.xLow) * strip.yLow;
    volume += area * (z - (levels[i + 1]?.[2] ?? 0));
  });
  return volume;
}

/** Disjoint boxes that cover the part of the positive octant that no point dominates; at most 2n + 1 of them. */
export function freeBoxes(points: readonly Point3[]): FreeBox[] {
  const { strips, levels } = prepare(points);
  const boxes: FreeBox[] = [];
  const close = (strip: Strip, zLow: number) => {
    if (strip.zHigh > zLow) boxes.push({ ...strip, zLow });
  };
  for (const [x, y, z] of levels) insert(strips, x, y, z, close);
  for (const strip of strips) close(strip, 0);
  return boxes;
}

/** Indices of the points that no other point dominates; of equal points the first. */
export function paretoFront(points: readonly (readonly number[])[]): number[] {
  const dominated = (a: readonly number[], b: readonly number[], bFirst: boolean) =>
    a.every((value, k) => b[k]! >= value) && (bFirst || a.some((value, k) => b[k]! > value));
  return points.flatMap((point, i) =>
    points.some((other, k) => k !== i && dominated(point, other, k < i)) ? [] : [i],
  );
}

function prepare(points: readonly Point3[]): { strips: Strip[]; levels: Point3[] } {
  const levels = points.filter((point) => point.every((value) => value > 0)).sort((a, b) => b[2] - a[2]);
  return { strips: [{ xLow: 0, xHigh: Infinity, yLow: 0, zHigh: Infinity }], levels };
}

/** Puts (x, y) into the staircase: strips left of x and lower than y are replaced by one of height y. */
function insert(strips: Strip[], x: number, y: number, z: number, close: (strip: Strip, zLow: number) => void): void {
  const first = strips.findIndex((strip) => strip.yLow < y);
  if (first < 0 || strips[first]!.xLow >= x) return;
  let last = first;
  while (strips[last]!.xHigh < x) last++;
  const from = strips[first]!.xLow;
  const cut = strips[last]!;
  const replacement: Strip[] = [{ xLow: from, xHigh: x, yLow: y, zHigh: z }];
  if (cut.xHigh > x) replacement.push({ xLow: x, xHigh: cut.xHigh, yLow: cut.yLow, zHigh: z });
  for (const strip of strips.splice(first, last - first + 1, ...replacement)) close(strip, z);
}
