import { promptTokens } from '../../plans/cost/index.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import { idsOf } from '../../plans/physical/batch/ids.js';
import { packTuples } from '../../plans/physical/batch/pack.js';
import { batchRequest } from '../../plans/physical/batch/request.js';
import type { BatchSchedule } from '../../plans/protocol/strategy.js';
import type { Model } from '../ports.js';
import type { Prompt } from './prompts.js';

/** What the batches of a call's inputs come to, without the calls that repair one. */
export interface BatchFacts {
  /** Mean number of inputs that one call carries. */
  readonly perCall: number;
  /** Mean tokens of prompt that one input takes, its share of the instruction included. */
  readonly tokens: number;
}

/** Packs the inputs that have no answer as they would be asked. Without any, the size asked for stands. */
export function batchFacts(
  call: SemanticCall,
  { contextTokens }: Model,
  { size }: BatchSchedule,
  partitionRows: number,
  lacking: readonly Prompt[],
): BatchFacts {
  const limits = { size, ...(contextTokens === undefined ? {} : { contextTokens }) };
  let calls = 0;
  let tokens = 0;
  for (let from = 0; from < lacking.length; from += partitionRows) {
    const partition = lacking.slice(from, from + partitionRows);
    const ids = idsOf(partition.map(({ key }) => key));
    const tuples = partition.map(({ row: { values } }, at) => ({ id: ids[at] ?? '', values }));
    for (const pack of packTuples(call, tuples, limits)) {
      calls += 1;
      tokens += promptTokens(batchRequest(call, pack));
    }
  }
  return calls === 0
    ? { perCall: size, tokens: 0 }
    : { perCall: lacking.length / calls, tokens: tokens / lacking.length };
}
