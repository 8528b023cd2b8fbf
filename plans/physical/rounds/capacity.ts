import type { SemanticCall } from '../../operators/call.js';
import { semanticOperators } from '../../operators/registry.js';
import { estimateTokens } from '../../cost/tokens.js';
import { itemTokens } from './pack.js';

/** Context of a model that names none, in tokens: what small current models have at least. */
const usualContext = 8_192;
/** Beyond this, models lose what stands in the middle; in tokens. */
const usefulContext = 128_000;
/** Template, instruction of ours, and the words of the stage. */
const overhead = 250;
/** Estimates may be half of what a model counts. */
const margin = 2;
const least = 64;

/** Tokens of a running result or a partial one, at most: what an answer is allowed. */
export const resultTokens = 512;

/** Tokens of data that one question of a call may hold, as estimated, so that a model with this context surely takes it. */
export function dataTokens(call: SemanticCall, contextTokens: number | undefined): number {
  const { maxOutputTokens, system } = semanticOperators[call.parameters.kind];
  const own = estimateTokens(system(call)) + estimateTokens(JSON.stringify(call.parameters)) + overhead;
  const context = Math.min(contextTokens ?? usualContext, usefulContext);
  return Math.max(least, Math.floor((context - maxOutputTokens(call)) / margin) - own);
}

/** Most items of a list: beyond it models lose track. */
const longestList = 20;

/** Items of a list that surely fits, by the longest of the texts. */
export function windowFor(tokens: number, texts: Iterable<string>): number {
  let longest = 1;
  for (const text of texts) longest = Math.max(longest, itemTokens(text));
  return Math.max(2, Math.min(longestList, Math.floor(tokens / longest)));
}
