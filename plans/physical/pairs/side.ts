/** Which side of the pairs stands in a prompt once, with the other side's values as its candidates. */
import type { SemanticCall } from '../../operators/call.js';

/** The pairs, grouped by the values of one side. */
export interface SideFacts {
  /** Prompts that it takes to ask about all pairs. */
  readonly prompts: number;
  /** Tokens of this side's values, each counted once a prompt that it stands in. */
  readonly sharedTokens: number;
  /** Tokens of the other side's values, each counted once a pair. */
  readonly candidateTokens: number;
}

/** About what a prompt costs besides the values: instruction, question, reply. */
export const tokensOfPrompt = 120;

/** 0 or 1: the side with which all prompts together are shorter; as short, the one with fewer prompts, then the first. */
export function sideToShare([first, second]: readonly [SideFacts, SideFacts]): 0 | 1 {
  const difference = tokensOf(first) - tokensOf(second) || first.prompts - second.prompts;
  return difference <= 0 ? 0 : 1;
}

function tokensOf({ prompts, sharedTokens, candidateTokens }: SideFacts): number {
  return prompts * tokensOfPrompt + sharedTokens + candidateTokens;
}

/** Equal for tuples whose values on a side are the same. */
export function sideKey({ pair }: Pick<SemanticCall, 'pair'>, side: 0 | 1, values: readonly string[]): string {
  return JSON.stringify(pair?.[side].map((index) => values[index] ?? ''));
}
