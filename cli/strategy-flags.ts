/** The flags that choose how calls are answered. */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { type StrategyRequest, strategyKinds, type StrategyKind } from '../plans/protocol/strategy.js';
import { usage } from './context.js';

export interface StrategyFlags {
  readonly strategy?: StrategyKind;
  readonly proxy?: string;
  readonly recall?: number;
  readonly precision?: number;
  readonly confidence?: number;
  readonly bothOrders?: boolean;
}

/** What a cascade must reach when no target is named. */
const defaultTargets = { recall: 0.9, precision: 0.9 } as const;
const defaultConfidence = 0.95;

export function strategyOptions(command: Command): Command {
  return command
    .addOption(
      new Option('--strategy <name>', 'how filters, aggregates or a top-k are answered').choices(strategyKinds),
    )
    .option('--proxy <model>', 'cascade: the cheap model that answers first')
    .option('--recall <share>', 'cascade: share of the true rows to find, at least (default: 0.9)', target)
    .option('--precision <share>', 'cascade: share of the found rows that are true, at least (default: 0.9)', target)
    .option('--confidence <share>', 'cascade: how sure the targets hold (default: 0.95)', confidence)
    .option('--both-orders', 'pairwise, heap: ask about each pair both ways round');
}

/** The strategy that the flags name; undefined for none. Throws `Usage` where they do not belong together. */
export function strategyOf(flags: StrategyFlags): StrategyRequest | undefined {
  const { strategy, proxy, recall, precision } = flags;
  if (strategy !== 'cascade') {
    const stray = (['proxy', 'recall', 'precision', 'confidence'] as const).find((name) => flags[name] !== undefined);
    if (stray !== undefined) usage(`--${stray} is of a cascade`, 'add --strategy cascade');
    if (strategy === 'pairwise' || strategy === 'heap')
      return { kind: strategy, bothOrders: flags.bothOrders === true };
    if (flags.bothOrders === true) usage('--both-orders is of comparisons', 'add --strategy pairwise or heap');
    return strategy === undefined ? undefined : { kind: strategy };
  }
  if (flags.bothOrders === true) usage('--both-orders is of comparisons', 'add --strategy pairwise or heap');
  if (proxy === undefined) usage('a cascade needs a proxy', 'name the cheap model: --proxy MODEL');
  const named = {
    ...(recall === undefined ? {} : { recall }),
    ...(precision === undefined ? {} : { precision }),
  };
  const targets = recall === undefined && precision === undefined ? defaultTargets : named;
  return { kind: 'cascade', proxy, targets: { ...targets, confidence: flags.confidence ?? defaultConfidence } };
}

function target(text: string): number {
  const value = shareOf(text);
  if (!(value > 0 && value <= 1)) throw new InvalidArgumentError('It must be above 0 and at most 1.');
  return value;
}

function confidence(text: string): number {
  const value = shareOf(text);
  if (!(value > 0 && value < 1)) throw new InvalidArgumentError('It must be between 0 and 1.');
  return value;
}

function shareOf(text: string): number {
  return text.trim() === '' ? Number.NaN : Number(text);
}
