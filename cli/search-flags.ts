/** The flags of a search for a plan, by itself or within a query. */
import type { Command } from 'commander';
import type { OptimizeWithin } from '../client/api.js';
import { usualAbove } from '../plans/protocol/operator.js';
import { usage } from './context.js';
import { numberFrom, searchOptions } from './options.js';
import { type WeightFlags, weightOptions, weightsOf } from './weights-flags.js';

export interface SearchFlags extends WeightFlags {
  readonly teacher?: string;
  readonly candidates?: readonly string[];
  readonly trials?: number;
  readonly sample?: number;
  readonly seed?: number;
}

export interface OptimizeFlags extends SearchFlags {
  readonly optimize?: boolean;
  readonly optimizeAbove?: number;
}

export function optimizeOptions(command: Command): Command {
  const above = `with --optimize: distinct inputs up to which nothing is searched (default: ${usualAbove})`;
  return searchOptions(weightOptions(command))
    .option('--optimize', 'answer by a plan, kept or searched for, where that is worth its while')
    .option('--optimize-above <n>', above, numberFrom(0, true));
}

export function searchOf(flags: SearchFlags): Omit<OptimizeWithin, 'above'> {
  const { teacher, candidates, trials, sample, seed } = flags;
  const weights = weightsOf(flags);
  return {
    ...(teacher === undefined ? {} : { teacher }),
    ...(candidates === undefined ? {} : { candidates }),
    ...(trials === undefined ? {} : { trials }),
    ...(sample === undefined ? {} : { sample }),
    ...(seed === undefined ? {} : { seed }),
    ...(weights === undefined ? {} : { weights }),
  };
}

/** Undefined: without `--optimize`. Throws `Usage` for a flag of a search alone. */
export function optimizeOf(flags: OptimizeFlags): OptimizeWithin | undefined {
  const { optimize, optimizeAbove: above } = flags;
  const search = { ...searchOf(flags), ...(above === undefined ? {} : { above }) };
  if (optimize === true) return search;
  const [stray] = Object.keys(search);
  if (stray === undefined) return undefined;
  const name =
    stray === 'above' ? 'optimize-above' : stray === 'weights' && flags.preset !== undefined ? 'preset' : stray;
  return usage(`--${name} is of a search for a plan`, 'add --optimize');
}
