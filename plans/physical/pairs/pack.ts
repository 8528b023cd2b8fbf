/** Pairs that share a side, as many in one prompt as it has room for. */
import { promptTokens } from '../../cost/price.js';
import { estimateTokens } from '../../cost/tokens.js';
import type { SemanticCall } from '../../operators/call.js';
import { packByRoom, type PackLimits, tokensAroundTuple, tokensAroundValue } from '../batch/pack.js';
import { idTokens, matchRequest, replyTokens } from './request.js';
import { type SideFacts, sideKey, sideToShare } from './side.js';

interface Tuple {
  readonly values: readonly string[];
}

/** Cuts pairs into prompts that share one side, the one that makes them shorter; a pair that is alone stands alone. */
export function packPairs<T extends Tuple>(
  call: SemanticCall,
  tuples: readonly T[],
  limits: PackLimits,
): readonly (readonly T[])[] {
  const groupings = [groupsOf(call, 0, tuples), groupsOf(call, 1, tuples)] as const;
  const side = sideToShare([factsOf(call, 0, groupings[0], limits.size), factsOf(call, 1, groupings[1], limits.size)]);
  return groupings[side].flatMap((group) => packGroup(call, side, group, limits));
}

function groupsOf<T extends Tuple>(call: SemanticCall, side: 0 | 1, tuples: readonly T[]): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const tuple of tuples) {
    const key = sideKey(call, side, tuple.values);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [tuple]);
    else group.push(tuple);
  }
  return [...groups.values()];
}

function factsOf(call: SemanticCall, side: 0 | 1, groups: readonly (readonly Tuple[])[], size: number): SideFacts {
  let prompts = 0;
  let sharedTokens = 0;
  let candidateTokens = 0;
  for (const group of groups) {
    const count = Math.ceil(group.length / size);
    prompts += count;
    sharedTokens += count * tokensOnSide(call, side, group[0]);
    for (const tuple of group) candidateTokens += tokensOnSide(call, side === 0 ? 1 : 0, tuple);
  }
  return { prompts, sharedTokens, candidateTokens };
}

function tokensOnSide({ pair }: SemanticCall, side: 0 | 1, tuple: Tuple | undefined): number {
  return (pair?.[side] ?? []).reduce(
    (sum, index) => sum + tokensAroundValue + estimateTokens(tuple?.values[index] ?? ''),
    0,
  );
}

function packGroup<T extends Tuple>(
  call: SemanticCall,
  side: 0 | 1,
  group: readonly T[],
  limits: PackLimits,
): readonly (readonly T[])[] {
  const [first] = group;
  if (first === undefined) return [];
  const fixed = promptTokens(matchRequest(call, [])) + tokensOnSide(call, side, first);
  return packByRoom(group, limits, { input: fixed, output: replyTokens }, (tuple) => ({
    input: tokensAroundTuple + tokensOnSide(call, side === 0 ? 1 : 0, tuple),
    output: idTokens,
  }));
}
