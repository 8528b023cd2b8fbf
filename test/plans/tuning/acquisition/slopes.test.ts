import { describe, expect, it } from 'vitest';
import { logNoisyHypervolumeImprovement } from '../../../../plans/tuning/acquisition/hypervolume-improvement.js';
import { logNoisyImprovement } from '../../../../plans/tuning/acquisition/improvement.js';
import type { Channel } from '../../../../plans/tuning/acquisition/channel.js';
import { encodingOf } from '../../../../plans/tuning/encoding.js';
import { emptyHistory, recordTrial } from '../../../../plans/tuning/history.js';
import { buildModel, sampleModel } from '../../../../plans/tuning/model.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';
import { logImprovement } from '../../../../plans/tuning/numeric/normal.js';
import { hypervolume } from '../../../../plans/tuning/objective/hypervolume.js';
import type { Point3 } from '../../../../plans/tuning/objective/hypervolume.js';
import { criteriaOf } from '../../../../plans/tuning/objective/objective.js';
import type { Objective } from '../../../../plans/tuning/objective/objective.js';
import { observe } from '../../../../plans/tuning/observations.js';

const names = ['a', 'b', 'c'];
const encoding = encodingOf({ parameters: names.map((name) => ({ kind: 'continuous', name, low: 0, high: 1 })) });
const draws = 16;

function channels(objective: Objective): { goals: Channel[]; limits: Channel[] } {
  const random = mulberry32(5);
  let history = emptyHistory(1, 50);
  for (let i = 0; i < 12; i++) {
    const configuration = Object.fromEntries(names.map((name) => [name, random.uniform()]));
    const { a, b, c } = configuration as Record<'a' | 'b' | 'c', number>;
    const exact = { y: Math.sin(3 * a) - b, g: a + b - 0.9, u: a, v: 1 - a * b, w: c * (1 - a) };
    // Noise, so that the fits are well conditioned and finite differences are precise.
    const metrics = Object.fromEntries(
      Object.entries(exact).map(([name, value]) => [name, value + 0.1 * random.normal()]),
    );
    history = recordTrial(history, { id: String(i), configuration, status: 'done', metrics });
  }
  const criteria = criteriaOf(objective);
  const model = buildModel(encoding, criteria, observe(history, encoding, criteria), { seed: 3, kernel: 'matern52' })!;
  return sampleModel(model, draws, 7, [Float64Array.from([0.2, 0.8, 0.5])])!;
}

const none = new Float64Array(0);
const constrained = channels({ mode: 'metric', metric: 'y', constraints: ['g'] });
const impossible = channels({ mode: 'metric', metric: 'y', constraints: ['v'] });
const front = channels({ mode: 'metrics', metrics: ['u', 'v', 'w'] });

describe.each([
  ['log noisy improvement', logNoisyImprovement(constrained.goals[0]!, [], draws)],
  ['the same with a limit', logNoisyImprovement(constrained.goals[0]!, constrained.limits, draws)],
  ['the same with a limit that nothing met', logNoisyImprovement(impossible.goals[0]!, impossible.limits, draws)],
  [
    'log noisy hypervolume improvement',
    logNoisyHypervolumeImprovement(front.goals as [Channel, Channel, Channel], draws),
  ],
])('%s', (_, acquisition) => {
  it('has the slopes of finite differences', () => {
    const random = mulberry32(2);
    for (let i = 0; i < 10; i++) {
      const point = Float64Array.from(names, () => random.uniform());
      const slopes = { features: new Float64Array(3), known: none };
      acquisition(point, none, slopes);
      slopes.features.forEach((slope, j) => {
        const at = (value: number) => acquisition(point.with(j, value), none);
        const difference = (at(point[j]! + 1e-5) - at(point[j]! - 1e-5)) / 2e-5;
        expect(Math.abs(slope - difference)).toBeLessThan(1e-3 * (1 + Math.abs(difference)));
      });
    }
  });
});

describe('one certain draw', () => {
  const fixed = (means: readonly number[], base: readonly (readonly number[])[], k: number, sd: number): Channel => ({
    shift: 0,
    scale: 1,
    base: Float64Array.from(base, (point) => point[k]!),
    sampler: {
      draws: 1,
      baseCount: base.length,
      base: Float64Array.from(base, (point) => point[k]!),
      moments: () => ({
        means: Float64Array.from([means[k]!]),
        variance: sd ** 2,
        addSlopes: () => undefined,
      }),
    },
  });

  it('gives the closed form of expected improvement', () => {
    const acquisition = logNoisyImprovement(fixed([0.4], [[0.1], [0.7]], 0, 0.2), [], 1);
    expect(acquisition(none, none)).toBeCloseTo(logImprovement((0.4 - 0.7) / 0.2) + Math.log(0.2), 12);
  });

  it('gives the expected hypervolume improvement of a Monte Carlo estimate', () => {
    const base: Point3[] = [
      [0.5, 0.2, 0.3],
      [0.2, 0.6, 0.4],
      [0.3, 0.3, 0.7],
    ];
    const mean: Point3 = [0.4, 0.4, 0.5];
    const goals = [0, 1, 2].map((k) => fixed(mean, base, k, 0.15)) as [Channel, Channel, Channel];
    const exact = Math.exp(logNoisyHypervolumeImprovement(goals, 1)(none, none));
    const random = mulberry32(4);
    const before = hypervolume(base);
    const total = 40_000;
    let sum = 0;
    for (let i = 0; i < total; i++) {
      const sample = mean.map((value) => value + 0.15 * random.normal()) as unknown as Point3;
      sum += (hypervolume([...base, sample]) - before) / total;
    }
    expect(exact / sum).toBeGreaterThan(0.96);
    expect(exact / sum).toBeLessThan(1.04);
  });
});
