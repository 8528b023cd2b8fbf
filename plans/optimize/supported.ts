/** Which queries a search for a plan takes. */
import type { OperatorKind, SemanticCall } from '../operators/call.js';
import type { OutputType } from '../operators/output.js';
import type { QueryPlan } from '../sql/plan.js';

const kinds: ReadonlySet<OperatorKind> = new Set(['filter', 'classify', 'score', 'sentiment', 'complete']);
const outputs: ReadonlySet<OutputType['kind']> = new Set(['boolean', 'integer', 'number', 'string', 'date', 'enum']);

/** Why a query is not taken; undefined when it is. `more`: calls beside the first. */
export function searchProblem(query: QueryPlan, call: SemanticCall | undefined, more: number): string | undefined {
  if (call === undefined) return 'the query asks no model';
  if (more > 0) return `the query asks ${more + 1} questions: a plan is for one`;
  return query.before === undefined ? callProblem(call) : 'the question is asked over a join or a nested query';
}

/** Why there are no plans for a call; undefined when there are. */
export function callProblem(call: SemanticCall): string | undefined {
  if (!kinds.has(call.parameters.kind)) return `answers of ${call.parameters.kind} cannot be compared one by one`;
  if (!outputs.has(call.output.kind)) return `the answer is a ${call.output.kind}, no single value`;
  if (call.pair !== undefined || call.fold !== undefined) return 'the question is about several rows at once';
  const media = call.inputs.find(({ modality }) => modality !== 'text');
  return media === undefined ? undefined : `${media.label} holds ${media.modality}: plans route texts alone`;
}
