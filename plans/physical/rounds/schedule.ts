import type { SemanticCall } from '../../operators/call.js';
import type { RoundsKind, RoundsSchedule, StrategyKind, StrategyRequest, TopK } from '../../protocol/strategy.js';
import { dataTokens } from './capacity.js';
import { sameCall } from './round-calls.js';

/** Operators that are always answered in rounds, and how, unless a strategy is named. */
const usual: Readonly<Partial<Record<SemanticCall['parameters']['kind'], RoundsKind>>> = {
  aggregate: 'tree',
  group: 'labels',
  dedup: 'pairs',
};

/** The rounds of a call that needs them whatever the strategy; undefined for other calls. */
export function usualRounds(call: SemanticCall, contextTokens: number | undefined): RoundsSchedule | undefined {
  const kind = usual[call.parameters.kind];
  if (kind === undefined) return undefined;
  return { kind, tokens: dataTokens(kind === 'pairs' ? sameCall(call) : call, contextTokens) };
}

/** Strategies that answer in rounds. */
export type RoundsRequest = Extract<
  StrategyRequest,
  {
    readonly kind: Exclude<
      StrategyKind,
      'direct' | 'cascade' | 'prefilter' | 'map' | 'batched' | 'classify' | 'chunked' | 'routed'
    >;
  }
>;

/** The rounds of a call by a strategy that it has. */
export function chosenRounds(
  call: SemanticCall,
  request: RoundsRequest,
  { top, contextTokens }: { readonly top: TopK | undefined; readonly contextTokens: number | undefined },
): RoundsSchedule {
  const { kind } = request;
  const bothOrders = 'bothOrders' in request && request.bothOrders;
  return {
    kind,
    tokens: dataTokens(call, contextTokens),
    ...(top === undefined ? {} : { top: { count: top.count, least: top.least, bothOrders } }),
  };
}
