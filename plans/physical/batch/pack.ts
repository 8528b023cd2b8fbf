/** How many tuples fit into one prompt: by their number, by the model's context, and by what a model can write at once. */
import { estimateTokens } from '../../cost/tokens.js';
import { promptTokens } from '../../cost/price.js';
import type { SemanticCall } from '../../operators/call.js';
import { semanticOperators } from '../../operators/registry.js';
import { FermataError } from '../../protocol/errors.js';
import { batchRequest } from './request.js';

/** Tuples of one prompt, at least and at most. */
export const batchSizes = { least: 2, most: 200 } as const;

/** Tuples of one prompt unless a user says. Candidates are one choice together, and their reply is short. */
export const usualSizes = { batched: 20, classify: 50 } as const;

/** Throws `BadArgument` for a size that is no whole number from 2 to 200. */
export function checkBatchSize(size: number): void {
  if (Number.isInteger(size) && size >= batchSizes.least && size <= batchSizes.most) return;
  throw new FermataError('BadArgument', `the batch size is ${size}`, {
    hint: `give a whole number from ${batchSizes.least} to ${batchSizes.most}`,
  });
}

/** Endpoints refuse bounds of the answer above what their model can write. */
const mostOutputTokens = 8192;
/** Prompts beyond it are read badly long before they are refused. */
const mostPromptTokens = 16_000;
/** An estimate of tokens may be too low by so much. */
const margin = 1.25;
/** `Item wkt` and the fences around a value. */
export const tokensAroundTuple = 6;
/** The fences of one value, and its number. */
export const tokensAroundValue = 12;

export interface PackLimits {
  /** Most tuples. */
  readonly size: number;
  /** Tokens of prompt and answer that the model takes; absent: not known. */
  readonly contextTokens?: number;
}

/** Cuts tuples, in their order, into batches. A tuple that fits with no other stands alone. */
export function packTuples<T extends { readonly values: readonly string[] }>(
  call: SemanticCall,
  tuples: readonly T[],
  limits: PackLimits,
): readonly (readonly T[])[] {
  const { maxOutputTokens } = semanticOperators[call.parameters.kind];
  return packByRoom(tuples, limits, { input: promptTokens(batchRequest(call, [])), output: 0 }, (tuple) => ({
    input: tupleTokens(tuple),
    output: maxOutputTokens(call, tuple.values),
  }));
}

/** Tokens of a prompt and of the reply to it. */
export interface Room {
  readonly input: number;
  readonly output: number;
}

/** Cuts tuples, in their order, by the room that each takes beside what every prompt takes anyhow. */
export function packByRoom<T>(
  tuples: readonly T[],
  { size, contextTokens }: PackLimits,
  fixed: Room,
  roomOf: (tuple: T) => Room,
): readonly (readonly T[])[] {
  const room = Math.min(mostPromptTokens + mostOutputTokens, contextTokens ?? Infinity);
  const packs: T[][] = [];
  let { input, output } = fixed;
  for (const tuple of tuples) {
    const more = roomOf(tuple);
    const last = packs.at(-1);
    const fits =
      last !== undefined &&
      last.length < size &&
      output + more.output <= mostOutputTokens &&
      margin * (input + more.input) + output + more.output <= room;
    if (fits) last.push(tuple);
    else {
      packs.push([tuple]);
      ({ input, output } = fixed);
    }
    input += more.input;
    output += more.output;
  }
  return packs;
}

function tupleTokens({ values }: { readonly values: readonly string[] }): number {
  return values.reduce((sum, value) => sum + tokensAroundValue + estimateTokens(value), tokensAroundTuple);
}
