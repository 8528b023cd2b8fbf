/** The flags that say what a plan is to be good at. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { presets, type WeightPreset, type Weights } from '../plans/tuning/objective/objective.js';
import { usage } from './context.js';

export interface WeightFlags {
  readonly preset?: WeightPreset;
  readonly weights?: Weights;
}

function weights(text: string): Weights {
  const numbers = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  const [quality, latency, cost] = numbers;
  if (quality === undefined || latency === undefined || cost === undefined || numbers.length > 3)
    throw new InvalidArgumentError('It must be three numbers: quality, latency and cost, e.g. 1,0.4,0.3.');
  if (!numbers.every((value) => Number.isFinite(value) && value >= 0) || numbers.every((value) => value === 0))
    throw new InvalidArgumentError('Weights must be numbers of 0 or more, one of them above 0.');
  return { quality, latency, cost };
}

export function weightOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--preset <name>', 'what counts: quality, or seconds and USD too').choices(Object.keys(presets)),
    )
    .option('--weights <q,l,c>', 'weights of quality, latency and cost instead of a preset', weights);
}

/** Undefined: the default of the library. Throws `Usage` where both are given. */
export function weightsOf({ preset, weights: given }: WeightFlags): WeightPreset | Weights | undefined {
  if (preset !== undefined && given !== undefined) usage('--preset and --weights contradict each other', 'name one');
  return given ?? preset;
}
