/** How many tuples fit into one prompt: by their number, by the model's context, and by what a model can write at once. */
import { estimateTokens } from '../../cost/tokens.js';
import { promptTokens } from '../../cost/price.js';
import type { SemanticCall } from '../../operators/call.js';
import { semanticOperators } from '../../operators/registry.js';
import { FermataError } from '../../protocol/errors.js';
import { batchRequest } from './request.js';

/** Tuples of one prompt, at least and at most. */
export const batchSizes = { least: 2, most: 200, usual: 20 } as const;

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
const tokensAroundTuple = 6;
const tokensAroundValue = 12;

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
  { size, contextTokens }: PackLimits,
): readonly (readonly T[])[] {
  const { maxOutputTokens } = semanticOperators[call.parameters.kind];
  const fixed = promptTokens(batchRequest(call, []));
  const room = Math.min(mostPromptTokens + mostOutputTokens, contextTokens ?? Infinity);
  const packs: T[][] = [];
  let input = 0;
  let output = 0;
  for (const tuple of tuples) {
    const more = { input: tupleTokens(tuple), output: maxOutputTokens(call, tuple.values) };
    const last = packs.at(-1);
    const fits =
      last !== undefined &&
      last.length < size &&
      output + more.output <= mostOutputTokens &&
      margin * (fixed + input + more.input) + output + more.output <= room;
    if (fits) {
      last.push(tuple);
      input += more.input;
      output += more.output;
    } else {
      packs.push([tuple]);
      ({ input, output } = more);
    }
  }
  return packs;
}

function tupleTokens({ values }: { readonly values: readonly string[] }): number {
  return values.reduce((sum, value) => sum + tokensAroundValue + estimateTokens(value), tokensAroundTuple);
}
