import fc from 'fast-check';
import { expect, test } from 'vitest';
import { nextCondition, type OpenCondition } from '../../../../plans/placement/adaptive/next-condition.js';
import { isWorthKnowing } from '../../../../plans/placement/adaptive/worth-knowing.js';

const condition = fc.record({
  relation: fc.constantFrom('a', 'b'),
  prompts: fc.integer({ min: 1, max: 1000 }),
  passes: fc.double({ min: 0.01, max: 0.99, noNaN: true }),
});
const set = (open: readonly OpenCondition[], at: number, passes: number): readonly OpenCondition[] =>
  open.map((one, other) => (other === at ? { ...one, passes } : one));

test('what is not worth knowing changes nothing, whatever it is', () => {
  fc.assert(
    fc.property(
      fc.array(condition, { minLength: 2, maxLength: 4 }),
      fc.nat(3),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (open, place, passes) => {
        const at = place % open.length;
        if (isWorthKnowing(open, at)) return;
        const [before, after] = [nextCondition(open), nextCondition(set(open, at, passes))];
        // costs are linear in one share on one relation, and monotonous across two: between the ends lies no other choice,
        // but for orders that cost the same
        const cost = (first: number, of: readonly OpenCondition[]): number => costBeginningWith(of, first);
        expect(cost(before, set(open, at, passes))).toBeLessThanOrEqual(
          cost(after, set(open, at, passes)) * (1 + 1e-9),
        );
      },
    ),
    { numRuns: 2000 },
  );
});

test('a few prompts that spare many need no look at the many', () => {
  const few = { relation: 'a', prompts: 290, passes: 0.2 };
  const many = { relation: 'b', prompts: 1394, passes: 0.2 };
  expect(isWorthKnowing([few, many], 1)).toBe(false);
  expect(isWorthKnowing([few, many], 0)).toBe(true);
  expect(isWorthKnowing([many, { ...many, relation: 'c' }], 0)).toBe(true);
});

test('the only one is not worth knowing', () => {
  expect(isWorthKnowing([{ relation: 'a', prompts: 10, passes: 0.2 }], 0)).toBe(false);
});

/** Expected prompts of the cheapest order that begins with a condition, tried one by one. */
function costBeginningWith(open: readonly OpenCondition[], first: number): number {
  const orders = permutations(open.map((_, at) => at).filter((at) => at !== first));
  return Math.min(...orders.map((rest) => costOf(open, [first, ...rest])));
}

function costOf(open: readonly OpenCondition[], order: readonly number[]): number {
  return order.reduce((sum, at, place) => {
    const own = open[at]!;
    return (
      sum +
      order.slice(0, place).reduce((left, earlier) => {
        const other = open[earlier]!;
        if (other.relation === own.relation) return left * other.passes;
        return left * (1 - (1 - other.passes) ** Math.max(1, other.prompts / own.prompts));
      }, own.prompts)
    );
  }, 0);
}

function permutations(items: readonly number[]): readonly (readonly number[])[] {
  if (items.length < 2) return [items];
  return items.flatMap((item) => permutations(items.filter((one) => one !== item)).map((rest) => [item, ...rest]));
}
