/** A join asked as a classification with many labels: which of these match that one. */
import { renderCandidates } from '../../operators/candidates.js';
import type { SemanticCall } from '../../operators/call.js';
import type { OutputType } from '../../operators/output.js';
import { semanticOperators } from '../../operators/registry.js';
import type { ModelRequest } from '../../protocol/model.js';
import type { BatchTuple } from '../batch/request.js';
import { sideKey } from './side.js';

/** Any text is an id as far as the type goes, so that all prompts have one schema; what is none of them is found on reading. */
const ids: OutputType = { kind: 'list', item: { kind: 'string' } };

/** Tokens of one id in the reply, at most: letters, quotes and a comma. */
export const idTokens = 8;
/** Tokens of a reply besides its ids. */
export const replyTokens = 24;

/** The request that asks which of some pairs match; they share one side. The reply is to be `{"answer": ["<id>", …]}`. */
export function matchRequest(call: SemanticCall, tuples: readonly BatchTuple[]): ModelRequest {
  const operator = semanticOperators[call.parameters.kind];
  const matching = { ...call, batch: 'matching' } as const;
  const lead = `Take each of the ${tuples.length} candidates above by itself, as if it were alone; what stands behind them is the same for all.`;
  return {
    system: operator.system(matching),
    content: renderCandidates(call.template, sharedInputs(call, tuples), tuples, (intent) =>
      [lead, operator.ask(intent, matching)].join('\n'),
    ),
    output: ids,
    maxOutputTokens: replyTokens + idTokens * tuples.length,
    temperature: 0,
    confidence: false,
  };
}

/** Texts of the side that the tuples do not share, one a tuple: the same candidate has the same id in every prompt. */
export function candidateKeys(
  call: SemanticCall,
  tuples: readonly { readonly values: readonly string[] }[],
): readonly string[] {
  const other = sharedSide(call, tuples) === 0 ? 1 : 0;
  return tuples.map(({ values }) => sideKey(call, other, values));
}

function sharedInputs(call: SemanticCall, tuples: readonly BatchTuple[]): ReadonlySet<number> {
  return new Set(call.pair?.[sharedSide(call, tuples)]);
}

function sharedSide(call: SemanticCall, tuples: readonly { readonly values: readonly string[] }[]): 0 | 1 {
  const [first] = tuples;
  const shares = (side: 0 | 1): boolean =>
    first !== undefined &&
    tuples.every(({ values }) => sideKey(call, side, values) === sideKey(call, side, first.values));
  return shares(0) ? 0 : 1;
}
