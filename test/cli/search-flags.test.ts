import { expect, it } from 'vitest';
import { type OptimizeFlags, optimizeOf } from '../../cli/search-flags.js';

it('is nothing without --optimize, and what the flags say with it', () => {
  expect(optimizeOf({})).toBeUndefined();
  expect(optimizeOf({ optimize: true })).toEqual({});
  const flags: OptimizeFlags = { optimize: true, optimizeAbove: 0, teacher: 'big', trials: 9, preset: 'quality-first' };
  expect(optimizeOf(flags)).toEqual({ above: 0, teacher: 'big', trials: 9, weights: 'quality-first' });
});

it.each<[string, OptimizeFlags]>([
  ['--teacher', { teacher: 'big' }],
  ['--candidates', { candidates: ['small'] }],
  ['--trials', { trials: 3 }],
  ['--sample', { sample: 30 }],
  ['--seed', { seed: 1 }],
  ['--preset', { preset: 'balanced' }],
  ['--weights', { weights: { quality: 1, latency: 0, cost: 0 } }],
  ['--optimize-above', { optimizeAbove: 10 }],
])('%s alone is a mistake of the user', (name, flags) => {
  expect(() => optimizeOf(flags)).toThrow(
    expect.objectContaining({ message: `${name} is of a search for a plan`, hint: 'add --optimize' }),
  );
});
