/** Several tuples in one prompt: the operator's own question, asked once behind all of them. */
import type { SemanticCall } from '../../operators/call.js';
import type { OutputType } from '../../operators/output.js';
import { renderBatch } from '../../operators/prompt.js';
import { semanticOperators } from '../../operators/registry.js';
import { replyLine } from '../../operators/shape.js';
import type { ModelRequest, TextPart } from '../../protocol/model.js';

/** One tuple of a batch; `values` are the texts of the call's inputs. */
export interface BatchTuple {
  /** Unlike any other in the batch. */
  readonly id: string;
  readonly values: readonly string[];
}

/**
 * The request that asks about all tuples at once; the reply is to be `{"answer": {"<id>": …}}` with each id once.
 *
 * @example batchRequest(call, [{ id: 'wkt', values: ['It sank.'] }, { id: 'cqh', values: ['It swam.'] }]);
 */
export function batchRequest(call: SemanticCall, tuples: readonly BatchTuple[]): ModelRequest {
  const operator = semanticOperators[call.parameters.kind];
  const batch = { ...call, batch: 'each' } as const;
  const ask = (intent: string): string => {
    const question = operator.ask(intent, batch);
    const last = replyLine(batch);
    const lead = `Take each of the ${tuples.length} items above by itself, as if it were alone.`;
    return [lead, question, ...(question.endsWith(last) ? [] : [last])].filter((line) => line !== '').join('\n');
  };
  return {
    system: operator.system(batch),
    content: renderBatch(call.template, tuples, ask) as readonly TextPart[],
    output: batchOutput(call.output, tuples),
    maxOutputTokens: tuples.reduce((sum, { values }) => sum + operator.maxOutputTokens(call, values), 0),
    temperature: 0,
    confidence: false,
  };
}

function batchOutput(each: OutputType, tuples: readonly BatchTuple[]): OutputType {
  return { kind: 'struct', fields: tuples.map(({ id }) => ({ name: id, type: each, required: true })) };
}
