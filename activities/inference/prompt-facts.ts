import { promptTokens } from '../../plans/cost/index.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import { semanticOperators } from '../../plans/operators/index.js';
import { idsOf } from '../../plans/physical/batch/ids.js';
import { promptForms } from '../../plans/physical/batch/forms.js';
import { joiningOf } from '../../plans/physical/chunk/join.js';
import type { JsonValue } from '../../plans/protocol/json.js';
import type { BatchSchedule, ChunkSchedule } from '../../plans/protocol/strategy.js';
import type { Ledger, Model } from '../ports.js';
import { type Asked, lookup } from './ask-prompts.js';
import { answerLong } from './long-texts.js';
import type { Outcome } from './outcome.js';
import type { Prompt } from './prompts.js';

/** What the prompts of a call's inputs come to, where they are not one an input; calls for repair are not foreseen. */
export interface PromptFacts {
  /** Mean number of inputs that one call carries; below 1 where an input takes several. */
  readonly perCall: number;
  /** Mean tokens of prompt that one input takes, its share of the instruction included. */
  readonly tokens: number;
  /** Mean number of answers that are written for one input. */
  readonly answers: number;
}

/** Of inputs that have no answer; `lacking` are those that were looked at. Asks nobody. */
export async function promptFacts(
  ledger: Ledger,
  { schedule, ...asked }: Asked,
  partitionRows: number,
  lacking: readonly Prompt[],
): Promise<PromptFacts | undefined> {
  if (schedule === undefined) return undefined;
  if (schedule.kind !== 'chunked') return batchFacts(asked.call, asked.model, schedule, partitionRows, lacking);
  return chunkFacts(ledger, { ...asked, schedule }, lacking);
}

/** Packs the inputs as they would be asked. Without any, the size asked for stands. */
function batchFacts(
  call: SemanticCall,
  { contextTokens }: Model,
  { kind, size }: BatchSchedule,
  partitionRows: number,
  lacking: readonly Prompt[],
): PromptFacts {
  const limits = { size, ...(contextTokens === undefined ? {} : { contextTokens }) };
  let calls = 0;
  let tokens = 0;
  for (let from = 0; from < lacking.length; from += partitionRows) {
    const partition = lacking.slice(from, from + partitionRows);
    const ids = idsOf(partition.map(({ key }) => key));
    const tuples = partition.map(({ row: { values } }, at) => ({ id: ids[at] ?? '', values }));
    for (const pack of promptForms[kind].pack(call, tuples, limits)) {
      calls += 1;
      tokens += promptTokens(promptForms[kind].request(call, pack));
    }
  }
  if (calls === 0) return { perCall: size, tokens: 0, answers: 1 };
  return { perCall: lacking.length / calls, tokens: tokens / lacking.length, answers: 1 };
}

/** Goes through the parts and their joinings with answers of half the length that they may have. */
async function chunkFacts(
  ledger: Ledger,
  job: Asked & { readonly schedule: ChunkSchedule },
  lacking: readonly Prompt[],
): Promise<PromptFacts> {
  let calls = 0;
  let tokens = 0;
  const value = placeholder(job.call);
  const made: Outcome = {
    state: 'ok',
    answer: { value, usage: { inputTokens: 0, outputTokens: 0 }, usd: 0, ms: 0, runId: '' },
    cached: false,
  };
  for (const prompt of lacking) {
    await answerLong(prompt, job, async (wanted) => {
      const known = await lookup(ledger, wanted);
      return wanted.map(({ request }, at) => {
        const had = known[at];
        if (had?.state === 'ok') return had;
        calls += 1;
        tokens += promptTokens(request);
        return made;
      });
    });
  }
  if (calls === 0) return { perCall: 1, tokens: 0, answers: 1 };
  const answers = calls / lacking.length;
  return { perCall: 1 / answers, tokens: tokens / lacking.length, answers };
}

function placeholder(call: SemanticCall): JsonValue {
  if (joiningOf(call) === 'fields') return call.guidance?.explain === true ? { answer: {}, explanation: '' } : {};
  return 'word '.repeat(Math.ceil(semanticOperators[call.parameters.kind].maxOutputTokens(call) / 2));
}
