/** The flags that choose how calls are answered. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { checkBatchSize, usualSizes } from '../plans/physical/batch/pack.js';
import { checkPartTokens } from '../plans/physical/chunk/pieces.js';
import type { RoutedPlan } from '../plans/physical/routed/plan.js';
import { FermataError } from '../plans/protocol/errors.js';
import { type StrategyRequest, strategyKinds, type StrategyKind } from '../plans/protocol/strategy.js';
import { usage } from './context.js';

export interface StrategyFlags {
  readonly strategy?: StrategyKind;
  readonly proxy?: string;
  readonly recall?: number;
  readonly precision?: number;
  readonly confidence?: number;
  readonly embedder?: string;
  readonly mapper?: string;
  readonly batch?: number;
  readonly chunk?: number;
  readonly bothOrders?: boolean;
  /** A file. */
  readonly plan?: string;
}

/** What a cascade must reach when no target is named. */
const defaultTargets = { recall: 0.9, precision: 0.9 } as const;
const defaultConfidence = 0.95;

/** The strategies that each flag belongs to. */
const owners = [
  ['proxy', 'cascade'],
  ['recall', 'cascade', 'prefilter', 'map'],
  ['precision', 'cascade'],
  ['confidence', 'cascade', 'prefilter', 'map'],
  ['embedder', 'prefilter'],
  ['mapper', 'map'],
  ['batch', 'batched', 'classify'],
  ['chunk', 'chunked'],
  ['bothOrders', 'pairwise', 'heap'],
  ['plan', 'routed'],
] as const satisfies readonly (readonly [keyof StrategyFlags, ...StrategyKind[]])[];

export function strategyOptions(command: Command): Command {
  return command
    .addOption(new Option('--strategy <name>', 'how calls are answered').choices(strategyKinds))
    .option('--proxy <model>', 'cascade: the cheap model that answers first; embedding:MODEL; or lexicon')
    .option(
      '--recall <share>',
      'cascade, prefilter, map: share of the true rows to find, at least (default: 0.9; map: nothing is tested)',
      target,
    )
    .option('--precision <share>', 'cascade: share of the found rows that are true, at least (default: 0.9)', target)
    .option('--confidence <share>', 'cascade, prefilter, map: how sure the targets hold (default: 0.95)', confidence)
    .option('--embedder <model>', 'prefilter: who embeds the values (default: the configured embedding model)')
    .option('--mapper <model>', 'map: who writes the keys (default: the model of the call)')
    .option(
      '--batch <n>',
      `batched, classify: inputs of one prompt (default: ${usualSizes.batched}; classify: ${usualSizes.classify})`,
      batchSize,
    )
    .option('--chunk <tokens>', "chunked: tokens of a part (default: what the model's context leaves)", partSize)
    .option('--both-orders', 'pairwise, heap: ask about each pair both ways round')
    .option('--plan <file|id>', 'routed: the plan, which says who answers which input');
}

/**
 * The strategy that the flags name; undefined for none. Throws `Usage` where they do not belong together.
 *
 * @param plan what the file of `--plan` holds
 */
export function strategyOf(flags: StrategyFlags, plan?: RoutedPlan): StrategyRequest | undefined {
  const { strategy, proxy, recall, precision, batch, chunk, bothOrders } = flags;
  for (const [name, ...of] of owners) {
    if (flags[name] !== undefined && !of.some((owner) => owner === strategy))
      usage(`--${name === 'bothOrders' ? 'both-orders' : name} is of ${of.join(' and ')}`, `add --strategy ${of[0]}`);
  }
  if (strategy === 'batched' || strategy === 'classify')
    return { kind: strategy, ...(batch === undefined ? {} : { size: batch }) };
  if (strategy === 'chunked') return { kind: strategy, ...(chunk === undefined ? {} : { tokens: chunk }) };
  if (strategy === 'pairwise' || strategy === 'heap') return { kind: strategy, bothOrders: bothOrders === true };
  if (strategy === 'routed') {
    return plan === undefined
      ? usage('a routed run needs a plan', 'name the file that holds it: --plan FILE')
      : { kind: strategy, plan };
  }
  if (strategy === 'prefilter') return prefilterOf(flags);
  if (strategy === 'map') return mapOf(flags);
  if (strategy !== 'cascade') return strategy === undefined ? undefined : { kind: strategy };
  if (proxy === undefined)
    usage('a cascade needs a proxy', 'name a cheap model: --proxy MODEL, or take word weights: --proxy lexicon');
  const named = {
    ...(recall === undefined ? {} : { recall }),
    ...(precision === undefined ? {} : { precision }),
  };
  const targets = recall === undefined && precision === undefined ? defaultTargets : named;
  return { kind: 'cascade', proxy, targets: { ...targets, confidence: flags.confidence ?? defaultConfidence } };
}

function prefilterOf({ embedder, recall, confidence }: StrategyFlags): StrategyRequest {
  return {
    kind: 'prefilter',
    ...(embedder === undefined ? {} : { embedder }),
    ...(recall === undefined ? {} : { recall }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

function mapOf({ mapper, recall, confidence }: StrategyFlags): StrategyRequest {
  if (confidence !== undefined && recall === undefined)
    usage('a confidence of nothing', 'say how much of what is to be found, too: --recall 0.9');
  return {
    kind: 'map',
    ...(mapper === undefined ? {} : { mapper }),
    ...(recall === undefined ? {} : { recall }),
    ...(confidence === undefined ? {} : { confidence }),
  };
}

function target(text: string): number {
  const value = numberOf(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('It must be above 0 and at most 1.');
  return value;
}

function confidence(text: string): number {
  const value = numberOf(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError('It must be between 0 and 1.');
  return value;
}

function batchSize(text: string): number {
  return checked(text, checkBatchSize);
}

function partSize(text: string): number {
  return checked(text, checkPartTokens);
}

function checked(text: string, check: (value: number) => void): number {
  const value = numberOf(text);
  try {
    check(value);
  } catch (error) {
    throw new InvalidArgumentError(FermataError.is(error) ? `Please ${error.hint ?? error.message}.` : String(error));
  }
  return value;
}

function numberOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
