import { describe, expect, it } from 'vitest';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';
import { conditionOn, fitGaussianProcess, negativeLogPosterior } from '../../../../plans/tuning/surrogate/fit.js';
import type { Observations } from '../../../../plans/tuning/surrogate/fit.js';
import { predict } from '../../../../plans/tuning/surrogate/predict.js';
import { sampleFunctions } from '../../../../plans/tuning/surrogate/sampler.js';

function observations(count: number, dimensions: number, seed: number, categorical: number[] = []): Observations {
  const random = mulberry32(seed);
  const x = Float64Array.from({ length: count * dimensions }, (_, i) =>
    categorical.includes(i % dimensions) ? Math.floor(random.uniform() * 3) : random.uniform(),
  );
  const y = Float64Array.from(
    { length: count },
    (_, i) => Math.sin(4 * x[i * dimensions]!) + 0.5 * x[(i + 1) * dimensions - 1]! + 0.1 * random.normal(),
  );
  const noiseScale = Float64Array.from({ length: count }, (_, i) => (i % 3 === 0 ? 0.5 : 1));
  const flags = Uint8Array.from({ length: dimensions }, (_, j) => Number(categorical.includes(j)));
  return { count, dimensions, x, y, noiseScale, categorical: flags };
}

const kernels = ['matern52', 'rbf'] as const;

describe.each(kernels)('gaussian process with %s', (kernel) => {
  it.each([true, false])('has the gradient of finite differences (deterministic %s)', (deterministic) => {
    const data = observations(15, 4, 3, [2]);
    const theta = Float64Array.from(deterministic ? [0.2, -0.5, 0.4, 0, 0.3] : [0.2, -0.5, 0.4, 0, 0.3, -3]);
    const gradient = new Float64Array(theta.length);
    negativeLogPosterior(data, { kernel, deterministic, lengthPrior: 'short' }, theta, gradient);
    const scratch = new Float64Array(theta.length);
    theta.forEach((value, j) => {
      const at = (shifted: number) =>
        negativeLogPosterior(data, { kernel, deterministic, lengthPrior: 'short' }, theta.with(j, shifted), scratch);
      const slope = (at(value + 1e-5) - at(value - 1e-5)) / 2e-5;
      expect(gradient[j]! - slope).toBeCloseTo(0, 2 - Math.ceil(Math.log10(1 + Math.abs(slope))));
    });
  });

  it('has the closed form of one observation', () => {
    const data: Observations = {
      count: 1,
      dimensions: 1,
      x: Float64Array.from([0.5]),
      y: Float64Array.from([2]),
      noiseScale: Float64Array.from([1]),
      categorical: new Uint8Array(1),
    };
    const hyper = { logLengths: Float64Array.from([0]), logNoise: Math.log(0.25), logSignal: 0 };
    const fit = conditionOn(data, kernel, hyper)!;
    const there = predict(fit, Float64Array.from([0.5]));
    expect(fit.mean).toBeCloseTo(2, 10);
    expect(there.variance).toBeCloseTo(1 - 1 / 1.25, 10);
  });

  it('is sure near data and returns to the prior far away', () => {
    const fit = fitGaussianProcess(observations(25, 2, 5), {
      kernel,
      lengthPrior: 'wide' as const,
      starts: 3,
      seed: 1,
      deterministic: false,
    })!;
    const near = predict(fit, fit.observations.x.subarray(0, 2));
    const far = predict(fit, Float64Array.from([1e4, 1e4]));
    expect(near.variance).toBeLessThan(0.3 * fit.signal);
    expect(far.variance).toBeCloseTo(fit.signal, 6);
    expect(far.mean).toBeCloseTo(fit.mean, 6);
  });

  it('draws functions whose moments are the posterior, and whose slopes are those of finite differences', () => {
    const fit = fitGaussianProcess(observations(20, 3, 8), {
      kernel,
      lengthPrior: 'wide' as const,
      starts: 2,
      seed: 1,
      deterministic: false,
    })!;
    const draws = 4000;
    const sampler = sampleFunctions(fit, [Float64Array.from([0.9, 0.1, 0.4])], { draws, seed: 4 })!;
    const point = Float64Array.from([0.3, 0.6, 0.2]);
    const moments = sampler.moments(point);
    const mean = moments.means.reduce((sum, value) => sum + value / draws, 0);
    const spread = moments.means.reduce((sum, value) => sum + (value - mean) ** 2 / draws, 0);
    const exact = predict(fit, point);
    expect(mean).toBeCloseTo(exact.mean, 3);
    expect((spread + moments.variance) / exact.variance).toBeCloseTo(1, 1);

    const weights = new Float64Array(draws).fill(0);
    weights[0] = 0.7;
    weights[3] = -0.2;
    const slopes = new Float64Array(3);
    moments.addSlopes(weights, 1.5, slopes);
    const at = (p: Float64Array) => {
      const m = sampler.moments(p);
      return 0.7 * m.means[0]! - 0.2 * m.means[3]! + 1.5 * m.variance;
    };
    point.forEach((value, j) => {
      const slope = (at(point.with(j, value + 1e-5)) - at(point.with(j, value - 1e-5))) / 2e-5;
      expect(slopes[j]! - slope).toBeCloseTo(0, 2);
    });
  });

  it('survives identical rows, identical values, extreme scales of noise, and refuses NaN', () => {
    const same = { ...observations(10, 2, 1), x: new Float64Array(20).fill(0.4) };
    const flat = { ...observations(10, 2, 1), y: new Float64Array(10) };
    const options = { kernel, lengthPrior: 'wide' as const, starts: 2, seed: 1, deterministic: false };
    for (const data of [same, flat]) {
      const fit = fitGaussianProcess(data, options)!;
      expect(Number.isFinite(predict(fit, Float64Array.from([0.1, 0.9])).mean)).toBe(true);
    }
    const broken = { ...observations(10, 2, 1), y: new Float64Array(10).fill(NaN) };
    expect(fitGaussianProcess(broken, options)).toBeUndefined();
  });
});
