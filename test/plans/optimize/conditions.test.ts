import { expect, it } from 'vitest';
import { changedCondition, type PlanConditions } from '../../../plans/optimize/conditions.js';

const then: PlanConditions = {
  weights: { quality: 1, latency: 0.4, cost: 0.3 },
  ...{ teacher: 'strong', direct: 'strong' },
  backends: { strong: 'gpt-1', small: 'tiny-2' },
};

it('is nothing where all is the same, in whatever order', () => {
  const now = {
    ...then,
    weights: { cost: 0.3, latency: 0.4, quality: 1 },
    backends: { small: 'tiny-2', strong: 'gpt-1' },
  };
  expect(changedCondition(then, now)).toBeUndefined();
});

it.each<[string, Partial<PlanConditions>]>([
  ['it was made for other weights', { weights: { quality: 1, latency: 0.4, cost: 0.31 } }],
  ['it was compared with strong', { direct: 'small' }],
  ['its labels are those of strong', { teacher: 'small' }],
  ['it was made without new', { backends: { ...then.backends, new: 'x' } }],
  ['small took part in its search', { backends: { strong: 'gpt-1' } }],
  ['small is another model now', { backends: { ...then.backends, small: 'tiny-3' } }],
])('says that %s', (why, change) => {
  expect(changedCondition(then, { ...then, ...change })).toBe(why);
});
