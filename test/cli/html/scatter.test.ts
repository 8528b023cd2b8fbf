import fc from 'fast-check';
import { expect, test } from 'vitest';
import { scatter } from '../../../cli/html/scatter.js';

const number = fc.oneof(
  fc.double({ min: -1e6, max: 1e6, noNaN: true }),
  fc.double({ min: 0, max: 1e-6, noNaN: true }),
  fc.constant(0),
);

test('every point and line stays within the chart, in the order of its values', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ x: number, y: number }), { minLength: 1, maxLength: 12 }), (at) => {
      const points = at.map((point) => ({ ...point, title: '' }));
      const { source } = scatter({ title: 't', x: 'x', y: 'y', points, line: { of: points, shape: 'straight' } });
      expect(source).not.toMatch(/NaN|Infinity/);
      const drawn = Array.from(
        source.matchAll(/cx="([-\d.]+)" cy="([-\d.]+)"/g),
        ([, x, y]) => [Number(x), Number(y)] as const,
      );
      expect(drawn).toHaveLength(at.length);
      for (const [x, y] of drawn) {
        expect(x).toBeGreaterThanOrEqual(63.9);
        expect(x).toBeLessThanOrEqual(624.1);
        expect(y).toBeGreaterThanOrEqual(11.9);
        expect(y).toBeLessThanOrEqual(236.1);
      }
      for (const [one, a] of at.entries()) {
        for (const [other, b] of at.entries()) {
          if (a.x > b.x) expect(drawn[one]![0]).toBeGreaterThanOrEqual(drawn[other]![0]);
          if (a.y > b.y) expect(drawn[one]![1]).toBeLessThanOrEqual(drawn[other]![1]);
        }
      }
    }),
  );
});

test('ticks are few, round and at their places', () => {
  const points = [
    { x: 0, y: 0.31, title: '' },
    { x: 30, y: 0.74, title: '' },
  ];
  const { source } = scatter({ title: 't', x: 'x', y: 'y', points, line: { of: [], shape: 'steps' } });
  const texts = Array.from(source.matchAll(/<text x="([\d.]+)" y="([\d.]+)"[^>]*>([\d.]+)</g), ([, , , text]) => text);
  expect(texts).toEqual(['0', '10', '20', '30', '0.3', '0.4', '0.5', '0.6', '0.7', '0.8']);
  expect(source).toMatch(/cx="64.0" cy="231.5"/);
});
