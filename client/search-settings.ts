import { FermataError } from '../plans/protocol/errors.js';
import { leastSample, type SearchSettings, usualSearch } from '../plans/protocol/search.js';
import { presets, type Weights, weightsProblem } from '../plans/tuning/objective/objective.js';
import { type OptimizeRequest, usualAbove } from '../plans/protocol/operator.js';
import type { OptimizeOptions, RunOptions } from './api.js';

/** What a search is told, defaults filled in. Throws `BadArgument` for numbers that make no sense. */
export function searchSettings(options: OptimizeOptions): SearchSettings {
  const { teacher, candidates, weights = 'balanced' } = options;
  const { trials, sample, seed } = { ...usualSearch, ...given(options) };
  const chosen: Weights = typeof weights === 'string' ? presets[weights] : weights;
  const problem =
    weightsProblem(chosen) ??
    wholeProblem('trials', trials, 1) ??
    wholeProblem('sample', sample, leastSample) ??
    wholeProblem('seed', seed, 0);
  if (problem !== undefined) throw new FermataError('BadArgument', problem);
  return {
    trials,
    sample,
    seed,
    weights: chosen,
    ...(teacher === undefined ? {} : { teacher }),
    ...(candidates === undefined ? {} : { candidates }),
  };
}

/** What the calls of a query are told likewise; undefined where nothing is to be optimized. */
export function optimizeRequest({ optimize, strategy }: RunOptions): OptimizeRequest | undefined {
  if (optimize === undefined || optimize === false) return undefined;
  if (strategy !== undefined && strategy.kind !== 'direct') {
    throw new FermataError('BadArgument', `the strategy ${strategy.kind} leaves nothing to optimize`, {
      hint: 'name a strategy, or optimize',
    });
  }
  const { above = usualAbove, ...search } = optimize === true ? {} : optimize;
  const problem = wholeProblem('above', above, 0);
  if (problem !== undefined) throw new FermataError('BadArgument', problem);
  return { above, search: searchSettings(search) };
}

function given({ trials, sample, seed }: OptimizeOptions): Partial<Pick<SearchSettings, 'trials' | 'sample' | 'seed'>> {
  return {
    ...(trials === undefined ? {} : { trials }),
    ...(sample === undefined ? {} : { sample }),
    ...(seed === undefined ? {} : { seed }),
  };
}

function wholeProblem(name: string, value: number, least: number): string | undefined {
  return Number.isSafeInteger(value) && value >= least
    ? undefined
    : `${name} must be a whole number of at least ${least}, got ${value}`;
}
