import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { freeBoxes, hypervolume, paretoFront } from '../../../../plans/tuning/objective/hypervolume.js';
import type { Point3 } from '../../../../plans/tuning/objective/hypervolume.js';

// A grid of few values makes ties, the hard case, common.
const coordinate = fc.integer({ min: -1, max: 6 });
const point: fc.Arbitrary<Point3> = fc.tuple(coordinate, coordinate, coordinate);

/** Unit cells of the grid below at least one point. */
function byCells(points: readonly Point3[]): number {
  let cells = 0;
  for (let x = 1; x <= 6; x++)
    for (let y = 1; y <= 6; y++)
      for (let z = 1; z <= 6; z++) if (points.some((p) => p[0] >= x && p[1] >= y && p[2] >= z)) cells++;
  return cells;
}

describe('hypervolume', () => {
  it('counts the cells of a grid, ties and points outside the octant included', () => {
    fc.assert(
      fc.property(fc.array(point, { maxLength: 12 }), (points) => {
        expect(hypervolume(points)).toBeCloseTo(byCells(points), 9);
      }),
    );
  });

  it('does not depend on order or dominated points', () => {
    const points: Point3[] = [
      [0.2, 0.9, 0.3],
      [0.8, 0.1, 0.5],
      [0.1, 0.1, 0.1],
      [0.4, 0.4, 0.9],
    ];
    const front = paretoFront(points).map((i) => points[i]!);
    expect(front).toHaveLength(3);
    expect(hypervolume([...points].reverse())).toBeCloseTo(hypervolume(front), 12);
  });
});

describe('free boxes', () => {
  it('and the dominated part fill any large box exactly, without overlap', () => {
    fc.assert(
      fc.property(fc.array(point, { maxLength: 12 }), (points) => {
        const top = 7;
        const clip = (value: number) => Math.min(top, value);
        const free = freeBoxes(points);
        const volume = free.reduce(
          (sum, box) => sum + (clip(box.xHigh) - box.xLow) * (top - box.yLow) * (clip(box.zHigh) - box.zLow),
          0,
        );
        expect(volume + hypervolume(points)).toBeCloseTo(top ** 3, 9);
        expect(free.length).toBeLessThanOrEqual(2 * points.length + 1);
        // In no cell do two boxes meet.
        for (let x = 0.5; x < top; x++)
          for (let z = 0.5; z < top; z++)
            expect(free.filter((b) => b.xLow < x && x < b.xHigh && b.zLow < z && z < b.zHigh)).toHaveLength(1);
      }),
      { numRuns: 60 },
    );
  });
});

describe('paretoFront', () => {
  it('keeps the first of equal points and nothing dominated', () => {
    fc.assert(
      fc.property(fc.array(point, { minLength: 1, maxLength: 10 }), (points) => {
        const front = paretoFront(points).map((i) => points[i]!);
        expect(new Set(front.map(String)).size).toBe(front.length);
        for (const p of points) expect(front.some((q) => q.every((value, k) => value >= p[k]!))).toBe(true);
      }),
    );
  });
});
