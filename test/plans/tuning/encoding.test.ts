import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodingOf } from '../../../plans/tuning/encoding.js';
import { softmaxCoordinates, softmaxMasses, stickBreaks, stickMasses } from '../../../plans/tuning/masses.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';
import { checkConfiguration, checkSpace } from '../../../plans/tuning/space.js';
import type { Parameter, SearchSpace } from '../../../plans/tuning/space.js';

const space: SearchSpace = {
  parameters: [
    { kind: 'continuous', name: 'threshold', low: 0, high: 1 },
    { kind: 'continuous', name: 'tiny', low: 1e-12, high: 1e12, scale: 'log' },
    { kind: 'continuous', name: 'wide', low: -1e15, high: 1e15 },
    { kind: 'categorical', name: 'prompt', choices: ['a', 'b', 'c'] },
    { kind: 'masses', name: 'route', buckets: 4 },
    { kind: 'masses', name: 'logits', buckets: 3, coding: 'softmax' },
    { kind: 'continuous', name: 'fixed', low: 0, high: 9, frozen: 4 },
    { kind: 'categorical', name: 'only', choices: ['x'] },
  ],
};

const simplex = (parts: number[]) => {
  const sum = parts.reduce((total, part) => total + part, 0);
  return parts.map((part) => part / sum);
};
const masses = (buckets: number) =>
  fc
    .array(fc.integer({ min: 0, max: 100 }), { minLength: buckets, maxLength: buckets })
    .filter((m) => m.some((v) => v > 0))
    .map(simplex);

describe('masses', () => {
  it('survive the way through stick breaks, zeros included', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }).chain(masses), (given) => {
        stickMasses(stickBreaks(given)).forEach((mass, k) => expect(mass).toBeCloseTo(given[k]!, 9));
      }),
    );
  });

  it('survive the way through logits while the largest is at most e^6 times the smallest', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 }).map(simplex), (given) => {
        softmaxMasses(softmaxCoordinates(given)).forEach((mass, k) => expect(mass).toBeCloseTo(given[k]!, 9));
      }),
    );
  });
});

describe('encoding', () => {
  const encoding = encodingOf(space);

  it('counts N − 1 for sticks, N for logits, one a choice, none for what is fixed', () => {
    expect(encoding.dimensions).toBe(1 + 1 + 1 + 1 + 3 + 3);
  });

  it('decodes any point to a configuration of the space, and encodes it back', () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const random = mulberry32(seed);
        const uniform = Float64Array.from({ length: encoding.dimensions }, () => random.uniform());
        const coordinates = encoding.fromUniform(uniform);
        const configuration = encoding.decode(coordinates);
        checkConfiguration(space, configuration);
        expect(configuration).toMatchObject({ fixed: 4, only: 'x' });
        const again = encoding.encode(configuration);
        const same = [0, 1, 2, 3, 4, 5, 6];
        for (const j of same) expect(again[j]).toBeCloseTo(coordinates[j]!, 6);
        expect(encoding.decode(again)['logits']).toEqual(
          (configuration['logits'] as number[]).map((mass): unknown => expect.closeTo(mass, 6)),
        );
      }),
    );
  });

  it('pulls slopes back as finite differences do', () => {
    const random = mulberry32(3);
    const point = encoding.fromUniform(Float64Array.from({ length: encoding.dimensions }, () => random.uniform()));
    const weights = point.map(() => random.normal());
    const value = (at: Float64Array) =>
      encoding.features(at).reduce((sum, feature, j) => sum + feature * weights[j]!, 0);
    encoding.pullBack(point, weights).forEach((slope, j) => {
      if (encoding.choices[j]) return;
      const difference = (value(point.with(j, point[j]! + 1e-6)) - value(point.with(j, point[j]! - 1e-6))) / 2e-6;
      expect(slope).toBeCloseTo(difference, 5);
    });
  });

  it('spreads uniform points evenly over the simplex', () => {
    const random = mulberry32(8);
    const only = encodingOf({ parameters: [{ kind: 'masses', name: 'm', buckets: 4 }] });
    const sums = [0, 0, 0, 0];
    for (let i = 0; i < 4000; i++) {
      const point = only.fromUniform(Float64Array.from({ length: 3 }, () => random.uniform()));
      (only.decode(point)['m'] as number[]).forEach((mass, k) => (sums[k]! += mass / 4000));
    }
    sums.forEach((mean) => expect(mean).toBeCloseTo(0.25, 1));
  });
});

describe('a space that cannot be searched', () => {
  const cases: [string, Parameter[]][] = [
    ['reversed bounds', [{ kind: 'continuous', name: 'p', low: 2, high: 1 }]],
    ['NaN bound', [{ kind: 'continuous', name: 'p', low: NaN, high: 1 }]],
    ['infinite bound', [{ kind: 'continuous', name: 'p', low: 0, high: Infinity }]],
    ['log scale from 0', [{ kind: 'continuous', name: 'p', low: 0, high: 1, scale: 'log' }]],
    ['no choices', [{ kind: 'categorical', name: 'p', choices: [] }]],
    ['a choice twice', [{ kind: 'categorical', name: 'p', choices: ['a', 'a'] }]],
    ['no buckets', [{ kind: 'masses', name: 'p', buckets: 0 }]],
    ['frozen outside', [{ kind: 'continuous', name: 'p', low: 0, high: 1, frozen: 3 }]],
    [
      'a name twice',
      [
        { kind: 'categorical', name: 'p', choices: ['a'] },
        { kind: 'masses', name: 'p', buckets: 2 },
      ],
    ],
  ];
  it.each(cases)('%s is named', (_, parameters) => {
    expect(() => checkSpace({ parameters })).toThrow(/"p"/);
  });

  it.each([
    ['missing', {}],
    ['not finite', { p: NaN }],
    ['outside', { p: 1.1 }],
    ['of another kind', { p: 'a' }],
  ])('a configuration value that is %s is refused', (_, configuration) => {
    const parameters: Parameter[] = [{ kind: 'continuous', name: 'p', low: 0, high: 1 }];
    expect(() => checkConfiguration({ parameters }, configuration)).toThrow(/"p"/);
  });
});
