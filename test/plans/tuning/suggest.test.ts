import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../plans/protocol/json.js';
import { best, rank } from '../../../plans/tuning/best.js';
import { encodingOf } from '../../../plans/tuning/encoding.js';
import { emptyHistory, readHistory, recordTrial } from '../../../plans/tuning/history.js';
import type { Metrics, Trial, TrialHistory } from '../../../plans/tuning/history.js';
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';
import { presets } from '../../../plans/tuning/objective/objective.js';
import type { Objective } from '../../../plans/tuning/objective/objective.js';
import { checkConfiguration } from '../../../plans/tuning/space.js';
import type { Configuration, Parameter, SearchSpace } from '../../../plans/tuning/space.js';
import { suggest } from '../../../plans/tuning/suggest.js';
import type { SuggestOptions } from '../../../plans/tuning/suggest.js';
import { regimeStarts, transferredStarts } from '../../../plans/tuning/warm-starts.js';

const objective: Objective = { mode: 'metric', metric: 'y' };
const square: SearchSpace = {
  parameters: [
    { kind: 'continuous', name: 'a', low: -10, high: 10 },
    { kind: 'continuous', name: 'b', low: 1e-6, high: 1e6, scale: 'log' },
  ],
};

const done = (id: string, configuration: Configuration, metrics: Metrics): Trial => ({
  id,
  configuration,
  status: 'done',
  metrics,
});

/** Asks and tells until `trials` are there. */
function run(
  space: SearchSpace,
  options: SuggestOptions,
  trials: number,
  measure: (c: Configuration) => Partial<Trial>,
  seed = 1,
): TrialHistory {
  let history = emptyHistory(seed, 50);
  for (let i = 0; i < trials; i++) {
    const [next] = suggest(history, space, options);
    if (!next) break;
    checkConfiguration(space, next.configuration);
    history = recordTrial(history, {
      id: `t${i}`,
      configuration: next.configuration,
      status: 'done',
      ...measure(next.configuration),
    });
  }
  return history;
}

const bowl = ({ a, b }: Configuration): Partial<Trial> => ({
  metrics: { y: -(((a as number) - 3) ** 2) / 10 - (Math.log10(b as number) - 2) ** 2 },
});

const distinct = (history: TrialHistory) =>
  new Set(history.trials.map(({ configuration }) => JSON.stringify(configuration))).size;

describe('suggest', () => {
  it('finds a smooth optimum on linear and log scales, and repeats itself', () => {
    const history = run(square, { objective, deterministic: true }, 22, bowl);
    const { incumbent } = best(history, square, { objective, deterministic: true });
    expect(incumbent!.configuration['a']).toBeCloseTo(3, 0);
    expect(Math.log10(incumbent!.configuration['b'] as number)).toBeCloseTo(2, 0);
    expect(run(square, { objective, deterministic: true }, 8, bowl)).toEqual({
      ...history,
      trials: history.trials.slice(0, 8),
    });
  });

  it('gives the same suggestion from a history that went through JSON', () => {
    const history = run(square, { objective }, 9, bowl);
    const copy = readHistory(JSON.parse(JSON.stringify(history)) as JsonValue);
    expect(suggest(copy, square, { objective })).toEqual(suggest(history, square, { objective }));
  });

  it('beats Sobol search and evolution runs through the same interface, seed by seed', () => {
    const final = (method: 'bayes' | 'sobol' | 'evolution', seed: number) =>
      Math.max(
        ...run(square, { objective, method, deterministic: true }, 18, bowl, seed).trials.map(
          ({ metrics }) => metrics!['y']!,
        ),
      );
    const seeds = [1, 2, 3, 4, 5, 6];
    expect(seeds.filter((seed) => final('bayes', seed) > final('sobol', seed)).length).toBeGreaterThanOrEqual(5);
    expect(seeds.filter((seed) => final('evolution', seed) > final('sobol', seed)).length).toBeGreaterThanOrEqual(3);
  });

  it('tries warm starts first, in order, once', () => {
    const warmStarts = [
      { a: 1, b: 1 },
      { a: 2, b: 2 },
    ];
    const history = run(square, { objective, warmStarts }, 6, bowl);
    expect(history.trials.slice(0, 2).map(({ configuration }) => configuration)).toEqual(warmStarts);
    expect(distinct(history)).toBe(6);
  });

  it('gives several at once that differ, knowing what is pending', () => {
    let history = run(square, { objective }, 8, bowl);
    const batch = suggest(history, square, { objective, count: 4 });
    expect(batch.map(({ origin }) => origin)).toEqual(['model', 'model', 'model', 'model']);
    const points = batch.map(({ configuration }) => encodingOf(square).encode(configuration));
    for (const [i, p] of points.entries())
      for (const q of points.slice(0, i))
        expect(Math.max(...p.map((value, j) => Math.abs(value - q[j]!)))).toBeGreaterThan(1e-3);
    for (const [i, { configuration }] of batch.entries())
      history = recordTrial(history, { id: `p${i}`, configuration, status: 'pending' });
    const [next] = suggest(history, square, { objective });
    expect(batch.map(({ configuration }) => configuration)).not.toContainEqual(next!.configuration);
  });

  it('prefers the free one of two that promise as much', () => {
    const twin = ({ a, b }: Configuration) => bowl({ a: Math.abs(a as number), b: b! });
    const history = run(square, { objective }, 10, twin);
    const priceUsd = (free: 1 | -1) => (c: Configuration) => ((c['a'] as number) * free > 0 ? 0 : 1);
    for (const side of [1, -1] as const) {
      const [next] = suggest(history, square, { objective, priceUsd: priceUsd(side) });
      expect(priceUsd(side)(next!.configuration)).toBe(0);
    }
  });
});

describe('categorical and mixed spaces', () => {
  const space: SearchSpace = {
    parameters: [
      { kind: 'categorical', name: 'prompt', choices: ['short', 'long', 'steps'] },
      { kind: 'continuous', name: 'a', low: 0, high: 1 },
    ],
  };
  const worth = { short: 0, long: 0.2, steps: 0.5 };
  const measure = ({ prompt, a }: Configuration) => ({
    metrics: { y: worth[prompt as keyof typeof worth] - ((a as number) - 0.7) ** 2 },
  });

  it('finds the best choice and the best value for it', () => {
    const history = run(space, { objective, deterministic: true }, 18, measure);
    const { configuration } = best(history, space, { objective, deterministic: true }).incumbent!;
    expect(configuration['prompt']).toBe('steps');
    expect(configuration['a']).toBeCloseTo(0.7, 1);
  });

  it('ends when all of a finite space was tried', () => {
    const finite: SearchSpace = {
      parameters: [space.parameters[0]!, { kind: 'categorical', name: 'model', choices: ['s', 'm'] }],
    };
    const history = run(finite, { objective }, 50, ({ prompt }) => ({
      metrics: { y: worth[prompt as keyof typeof worth] },
    }));
    expect(history.trials).toHaveLength(6);
    expect(distinct(history)).toBe(6);
  });
});

describe('bad input', () => {
  const one: Parameter = { kind: 'continuous', name: 'a', low: 0, high: 1 };

  it('no parameter, or all frozen: one trial, then nothing more', () => {
    for (const parameters of [[], [{ ...one, frozen: 0.5 }], [{ ...one, high: 0 }]] as Parameter[][]) {
      const history = run({ parameters }, { objective }, 3, () => ({ metrics: { y: 1 } }));
      expect(history.trials).toHaveLength(1);
      expect(best(history, { parameters }, { objective }).incumbent!.trialIds).toEqual(['t0']);
    }
  });

  it('one parameter works like many', () => {
    const history = run({ parameters: [one] }, { objective, deterministic: true }, 12, ({ a }) => ({
      metrics: { y: -(((a as number) - 0.3) ** 2) },
    }));
    expect(
      best(history, { parameters: [one] }, { objective, deterministic: true }).incumbent!.configuration['a'],
    ).toBeCloseTo(0.3, 1);
  });

  it('an empty history has no incumbent', () => {
    expect(best(emptyHistory(1, 50), square, { objective })).toEqual({ feasible: false, front: [] });
  });

  it('identical observations: still looks elsewhere', () => {
    const history = run(square, { objective }, 12, () => ({ metrics: { y: 0.5 } }));
    expect(distinct(history)).toBe(12);
  });

  it.each([
    ['NaN', { status: 'done' as const, metrics: { y: NaN } }],
    ['Infinity', { status: 'done' as const, metrics: { y: Infinity } }],
    ['a missing metric', { status: 'done' as const, metrics: { z: 1 } }],
    ['a failure', { status: 'failed' as const }],
  ])('%s is a failed trial: never tried again, steered away from', (_, outcome) => {
    const measure = (c: Configuration): Partial<Trial> =>
      (c['a'] as number) > 0 ? outcome : bowl({ ...c, a: -(c['a'] as number) });
    const history = run(square, { objective }, 24, measure);
    expect(distinct(history)).toBe(24);
    const failed = ({ configuration }: Trial) => (configuration['a'] as number) > 0;
    const early = history.trials.slice(0, 5).filter(failed).length;
    expect(early).toBeGreaterThan(0);
    expect(history.trials.slice(9).filter(failed).length).toBeLessThan(8);
    const { incumbent } = best(history, square, { objective });
    expect(incumbent!.configuration['a']).toBeLessThanOrEqual(0);
  });

  it('nothing but failures: keeps exploring, has no incumbent', () => {
    const history = run(square, { objective }, 12, () => ({ status: 'failed' }));
    expect(distinct(history)).toBe(12);
    expect(best(history, square, { objective }).incumbent).toBeUndefined();
  });

  it.each([1e-12, 1e12])('values on a scale of %d', (scale) => {
    const history = run(square, { objective, deterministic: true }, 16, (c) => ({
      metrics: { y: scale * bowl(c).metrics!['y']! + 1000 * scale },
    }));
    expect(best(history, square, { objective, deterministic: true }).incumbent!.configuration['a']).toBeCloseTo(3, -1);
  });

  it('contradictory repeats: their mean counts, not the luckiest', () => {
    let history = emptyHistory(1, 50);
    const tell = (id: string, a: number, y: number) => (history = recordTrial(history, done(id, { a, b: 1 }, { y })));
    [0, 1, 0, 1, 0, 1].forEach((y, i) => tell(`x${i}`, 0, y));
    [0.7, 0.72, 0.68, 0.7].forEach((y, i) => tell(`z${i}`, 8, y));
    [0.1, 0.05].forEach((y, i) => tell(`w${i}`, -8 - i, y));
    expect(best(history, square, { objective }).incumbent!.configuration['a']).toBe(8);
    expect(suggest(history, square, { objective })).toHaveLength(1);
  });

  it.each([1e9, -1e9])('a huge outlier (%d) does not flatten the rest', (outlier) => {
    let count = 0;
    const history = run(square, { objective }, 20, (c) => (count++ === 3 ? { metrics: { y: outlier } } : bowl(c)));
    const rest = rank(history, square, { objective }).filter(({ trialIds }) => !trialIds.includes('t3'));
    const truths = rest.map(({ configuration }) => bowl(configuration).metrics!['y']!);
    const better = truths.filter((truth) => truth > truths[0]!).length;
    expect(better).toBeLessThan(rest.length / 2);
  });

  it('300 trials of 4 parameters', () => {
    const random = mulberry32(3);
    const names = ['a', 'b', 'c', 'd'];
    const space: SearchSpace = { parameters: names.map((name) => ({ kind: 'continuous', name, low: 0, high: 1 })) };
    let history = emptyHistory(1, 50);
    for (let i = 0; i < 300; i++) {
      const configuration = Object.fromEntries(names.map((name) => [name, random.uniform()]));
      history = recordTrial(
        history,
        done(`t${i}`, configuration, { y: -((configuration['a']! - 0.4) ** 2) + 0.05 * random.normal() }),
      );
    }
    const [next] = suggest(history, space, { objective });
    expect(next!.origin).toBe('model');
    expect(next!.configuration['a']).toBeCloseTo(0.4, 0);
  });

  it('reversed bounds, a history of another space, a count of none', () => {
    expect(() => suggest(emptyHistory(1, 50), { parameters: [{ ...one, low: 2 }] }, { objective })).toThrow(/reversed/);
    const alien = recordTrial(emptyHistory(1, 50), done('t', { other: 1 }, { y: 1 }));
    expect(() => suggest(alien, square, { objective })).toThrow(/missing/);
    expect(() => best(alien, square, { objective })).toThrow(/missing/);
    expect(() => suggest(emptyHistory(1, 50), square, { objective, count: 0 })).toThrow(/count/);
  });
});

describe('limits', () => {
  const limited: Objective = { mode: 'metric', metric: 'y', constraints: ['g'] };

  it('are kept by the incumbent, found close to them', () => {
    const measure = ({ a }: Configuration) => ({ metrics: { y: a as number, g: ((a as number) - 2) / 10 } });
    const history = run(square, { objective: limited, deterministic: true }, 16, measure);
    const found = best(history, square, { objective: limited, deterministic: true });
    expect(found.feasible).toBe(true);
    expect(found.incumbent!.configuration['a']).toBeGreaterThan(0.5);
    expect(found.incumbent!.configuration['a']).toBeLessThanOrEqual(2.001);
  });

  it('that cannot be kept: says so and names the least violating plan', () => {
    const measure = ({ a }: Configuration) => ({
      metrics: { y: a as number, g: 0.5 + Math.abs((a as number) + 6) / 10 },
    });
    const history = run(square, { objective: limited, deterministic: true }, 16, measure);
    const found = best(history, square, { objective: limited, deterministic: true });
    expect(found.feasible).toBe(false);
    expect(found.incumbent!.excess).toBeGreaterThan(0.4);
    expect(found.incumbent!.configuration['a']).toBeCloseTo(-6, -0.5);
  });
});

describe('the incumbent', () => {
  const tied = [
    done('old', { a: 0, b: 1 }, { y: 0.5 }),
    done('new', { a: 5, b: 1 }, { y: 0.52 }),
    done('low', { a: -8, b: 1 }, { y: 0 }),
  ];
  const history = tied.reduce(recordTrial, emptyHistory(1, 50));

  it('changes only for more than the margin', () => {
    const options = { objective, deterministic: true, incumbentId: 'old' };
    expect(best(history, square, { ...options, margin: 0.05 }).incumbent!.trialIds).toEqual(['old']);
    expect(best(history, square, { ...options, margin: 0.001 }).incumbent!.trialIds).toEqual(['new']);
  });
});

describe('the noise of a trial', () => {
  it('is inferred in the units of the goal', () => {
    const random = mulberry32(5);
    const history = run(square, { objective, method: 'sobol' }, 40, (c) => ({
      metrics: { y: 100 * bowl(c).metrics!['y']! + 80 * random.normal() },
    }));
    const { noise } = best(history, square, { objective }).incumbent!;
    expect(noise).toBeGreaterThan(30);
    expect(noise).toBeLessThan(160);
  });
});

describe('a front', () => {
  it('holds what is not dominated, with its hypervolume', () => {
    const objective3: Objective = { mode: 'pareto', reference: { latencySeconds: 100, costUsd: 1 } };
    const measure = ({ a }: Configuration) => {
      const share = ((a as number) + 10) / 20;
      return { metrics: { quality: 0.5 + 0.4 * share, latencySeconds: 100 * share, costUsd: share } };
    };
    const history = run(square, { objective: objective3, deterministic: true }, 9, measure);
    const found = best(history, square, { objective: objective3, deterministic: true });
    expect(found.front.length).toBeGreaterThan(2);
    expect(found.hypervolume).toBeGreaterThan(0.2);
  });
});

describe('grey box', () => {
  it('learns quality only, and corrects a latency that is always longer than computed', () => {
    const space: SearchSpace = { parameters: [{ kind: 'masses', name: 'route', buckets: 3 }] };
    const reference = { latencySeconds: 50, costUsd: 0.1 };
    const utility: Objective = { mode: 'utility', weights: presets.balanced, reference };
    const profile = ({ route }: Configuration) => {
      const [, middle, top] = route as number[];
      return { latencySeconds: 5 * middle! + 50 * top!, costUsd: 0.002 * middle! + 0.1 * top! };
    };
    const measure = (c: Configuration) => {
      const [low, middle] = c['route'] as number[];
      const { latencySeconds, costUsd } = profile(c);
      const quality = 0.9 - 0.6 * low! ** 2 - 0.2 * (low! + middle!) ** 4;
      return { metrics: { quality, latencySeconds: 1.5 * latencySeconds, costUsd } };
    };
    const options = { objective: utility, knownMetrics: profile, deterministic: true, warmStarts: regimeStarts(space) };
    const history = run(space, options, 14, measure);
    const { incumbent } = best(history, space, options);
    const utilityOf = (c: Configuration) => {
      const { quality, latencySeconds, costUsd } = measure(c).metrics;
      return (
        quality -
        (0.4 * Math.log1p(latencySeconds)) / Math.log1p(50) -
        (0.3 * Math.log1p(costUsd / 0.001)) / Math.log1p(100)
      );
    };
    let top = -Infinity;
    for (let i = 0; i <= 60; i++)
      for (let j = 0; i + j <= 60; j++) top = Math.max(top, utilityOf({ route: [i / 60, j / 60, (60 - i - j) / 60] }));
    expect(utilityOf(incumbent!.configuration)).toBeGreaterThan(top - 0.02);
    expect(incumbent!.goals[0]!.mean).toBeCloseTo(utilityOf(incumbent!.configuration), 1);
  });
});

describe('warm starts', () => {
  const space: SearchSpace = {
    parameters: [
      { kind: 'masses', name: 'route', buckets: 4 },
      { kind: 'continuous', name: 'a', low: 0, high: 1 },
    ],
  };

  it('are distinct regimes of the space', () => {
    const starts = regimeStarts(space);
    expect(starts).toHaveLength(5);
    for (const start of starts) checkConfiguration(space, start);
    expect(regimeStarts({ parameters: [] })).toHaveLength(1);
  });

  it('come from earlier tuning where they fit, best first', () => {
    const earlier = [
      done('x', { route: [1, 0, 0, 0], a: 0.1, gone: 3 }, { y: 0.1 }),
      done('y', { route: [0, 0, 0, 1], a: 0.9, gone: 3 }, { y: 0.9 }),
      done('z', { route: [0.25, 0.25, 0.25, 0.25], a: 0.5, gone: 3 }, { y: 0.6 }),
    ].reduce(recordTrial, emptyHistory(1, 50));
    const theirs = {
      parameters: [...space.parameters, { kind: 'continuous' as const, name: 'gone', low: 0, high: 9 }],
    };
    const options = { objective, deterministic: true, count: 2 };
    const starts = transferredStarts([{ history: earlier, space: theirs }], space, options);
    expect(starts.map(({ a }) => a)).toEqual([0.9, 0.5]);
    const wider = {
      parameters: [...space.parameters, { kind: 'continuous' as const, name: 'fresh', low: 0, high: 1 }],
    };
    expect(transferredStarts([{ history: earlier, space: theirs }], wider, options)).toEqual([]);
  });
});
