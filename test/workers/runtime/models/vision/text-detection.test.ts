import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { convexHull, leastRectangle } from '../../../../../workers/runtime/models/vision/geometry.js';
import { decodeSteps } from '../../../../../workers/runtime/models/vision/text-recognition.js';
import { textRectangles } from '../../../../../workers/runtime/models/vision/text-detection.js';

test('the least rectangle holds all points and has the direction of what was turned', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 20, max: 400 }),
      fc.integer({ min: 2, max: 15 }),
      fc.integer({ min: -44, max: 44 }),
      (width, height, degrees) => {
        const angle = (degrees * Math.PI) / 180;
        const points = [
          [0, 0],
          [width, 0],
          [width, height],
          [0, height],
          [width / 3, height / 2],
        ].map(([x = 0, y = 0]) => ({
          x: x * Math.cos(angle) - y * Math.sin(angle),
          y: x * Math.sin(angle) + y * Math.cos(angle),
        }));
        const found = leastRectangle(points);
        expect(found.width).toBeCloseTo(width, 6);
        expect(found.height).toBeCloseTo(height, 6);
        expect(found.angle).toBeCloseTo(angle, 6);
        expect(convexHull(points)).toHaveLength(4);
      },
    ),
  );
});

test('regions of the map become rectangles that are grown; faint and tiny ones do not', () => {
  const [width, height] = [100, 60];
  const map = new Float32Array(width * height);
  const fill = (x0: number, y0: number, w: number, h: number, value: number): void => {
    for (let y = y0; y < y0 + h; y++) map.fill(value, y * width + x0, y * width + x0 + w);
  };
  fill(10, 10, 60, 8, 0.9);
  fill(10, 30, 60, 8, 0.4);
  fill(80, 40, 2, 2, 0.9);
  const found = textRectangles(map, width, height);
  expect(found).toHaveLength(1);
  const [rectangle] = found;
  expect(rectangle?.center).toEqual({ x: 40, y: 14 });
  const margin = (60 * 8 * 1.8) / (2 * 68);
  expect(rectangle?.width).toBeCloseTo(60 + 2 * margin, 6);
  expect(rectangle?.height).toBeCloseTo(8 + 2 * margin, 6);
});

test('steps are read as CTC has it, with spaces that are likely enough', () => {
  // Classes: none, a, b, space.
  const steps = (...rows: readonly (readonly number[])[]): Float32Array => Float32Array.from(rows.flat());
  const none = [0.97, 0.01, 0.01, 0.001];
  const [a, b] = [
    [0.1, 0.8, 0.1, 0],
    [0.1, 0.1, 0.6, 0],
  ];
  expect(decodeSteps(steps(none, a, a, none, a, b, b, none), 4, ['a', 'b'])).toMatchObject({ text: 'aab' });
  expect(decodeSteps(steps(a, [0.9, 0, 0, 0.1], b), 4, ['a', 'b'])).toMatchObject({
    text: 'a b',
    score: expect.closeTo(0.7, 5) as number,
  });
  expect(decodeSteps(steps([0, 0, 0, 1], a, [0, 0, 0, 1]), 4, ['a', 'b']).text).toBe('a');
  expect(decodeSteps(steps(none, none), 4, ['a', 'b'])).toEqual({ text: '', score: 0 });
});
