import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextCondition, type OpenCondition } from '../../../../plans/placement/adaptive/next-condition.js';

const condition = fc.record({
  relation: fc.constantFrom('a', 'b', 'c'),
  prompts: fc.integer({ min: 1, max: 1000 }),
  passes: fc.double({ min: 0, max: 1, noNaN: true }),
});

test('nothing open, nothing next', () => {
  expect(nextCondition([])).toBe(-1);
});

test('on one relation, the first of the order by passing share where prompts are equal', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 1, maxLength: 9 }), (shares) => {
      const open = shares.map((passes) => ({ relation: 'a', prompts: 100, passes }));
      expect(shares[nextCondition(open)]).toBeCloseTo(Math.min(...shares), 9);
    }),
  );
});

test('of two, the one after which both together ask least', () => {
  const left = (own: OpenCondition, other: OpenCondition): number => {
    if (own.relation === other.relation) return own.prompts * other.passes;
    const partners = Math.max(1, other.prompts / own.prompts);
    return own.prompts * (1 - (1 - other.passes) ** partners);
  };
  fc.assert(
    fc.property(condition, condition, (one, two) => {
      const costs = [one.prompts + left(two, one), two.prompts + left(one, two)];
      const chosen = costs[nextCondition([one, two])] ?? Infinity;
      expect(chosen).toBeLessThanOrEqual(Math.min(...costs) * (1 + 1e-9));
    }),
  );
});

test('a condition that nothing passes comes before one that asks as much', () => {
  const open = (passes: number): OpenCondition => ({ relation: 'a', prompts: 10, passes });
  expect(nextCondition([open(1), open(0), open(0.5)])).toBe(1);
});

test('whatever is open, one of it is chosen, also above the bound of exact orders', () => {
  fc.assert(
    fc.property(fc.array(condition, { minLength: 1, maxLength: 20 }), (open) => {
      expect(open[nextCondition(open)]).toBeDefined();
    }),
  );
});
