import fc from 'fast-check';
import { expect, test } from 'vitest';
import { count } from '../../../cli/render/numbers.js';

test('numbers are grouped as in English', () => {
  const english = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      expect(count(value)).toBe(english.format(value));
    }),
  );
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 1e9 }), fc.integer({ min: 0, max: 3 }), (whole, quarters) => {
      const value = whole + quarters / 4;
      expect(count(value)).toBe(english.format(value));
    }),
  );
});
