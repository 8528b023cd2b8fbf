/** Group-by by meaning: labels are found on a sample, then every input is classified into them. */
import { itemText, renderItems } from '../../../plans/operators/items.js';
import { type JsonValue, parseJson } from '../../../plans/protocol/json.js';
import { itemTokens } from '../../../plans/physical/rounds/pack.js';
import { classifyCall, labelsCall } from '../../../plans/physical/rounds/round-calls.js';
import { splitText } from '../../../plans/physical/rounds/split.js';
import { deriveSeed } from '../../../plans/tuning/numeric/random.js';
import type { AnswerRow } from '../../ports.js';
import type { Asked, Questions, RoundsJob } from './files.js';
import type { RoundMethod } from './method.js';

/** Most inputs of the sample; labels do not get better with more. */
const mostSampled = 200;
/** The room of one input in the sample: a long one is shown by its beginning. */
const shareOfOne = 0.1;

export const labels: RoundMethod = {
  async ask(job, round) {
    if (round === 0) return proposal(job);
    const found = round === 1 ? labelsOf(await firstAsked(job)) : undefined;
    return found === undefined || found.length < 2 ? undefined : classification(job, found);
  },
  async *answers(job, rounds) {
    if (rounds === 0) return;
    const first = await firstAsked(job);
    const found = labelsOf(first);
    if (found !== undefined && found.length > 1) {
      if (rounds > 1) yield* classified(job);
      return;
    }
    // with one label, or with an error, all inputs have the same answer
    for await (const { in: at } of job.inputs()) {
      const answer = found === undefined ? first?.answer : ({ state: 'ok', value: JSON.stringify(found[0]) } as const);
      if (answer !== undefined) yield { ...answer, in: at };
    }
  },
};

/** The question for labels: the only one of its round. */
async function firstAsked(job: RoundsJob): Promise<Asked | undefined> {
  for await (const asked of job.asked(0)) return asked;
  return undefined;
}

function labelsOf(asked: Asked | undefined): readonly string[] | undefined {
  const parsed = asked?.answer?.state === 'ok' ? parseJson(asked.answer.value) : undefined;
  return parsed?.ok === true && Array.isArray(parsed.value)
    ? (parsed.value as readonly JsonValue[]).map(String)
    : undefined;
}

async function* classified(job: RoundsJob): AsyncGenerator<AnswerRow> {
  for await (const { question, answer } of job.asked(1)) if (answer !== undefined) yield { ...answer, in: question };
}

async function proposal(job: RoundsJob): Promise<Questions> {
  const call = labelsCall(job.planned.call, job.prepared.inputs);
  return { call, rows: [[renderItems(await sample(job))]], arity: 1, size: 1 };
}

/** Inputs drawn by a hash of their number, as many as fit, in their order. */
async function sample({ planned, inputs, prepared, schedule, seed }: RoundsJob): Promise<readonly string[]> {
  const drawn = Array.from({ length: prepared.inputs }, (_, at) => at)
    .map((at) => [deriveSeed(seed, at), at] as const)
    .sort(([a], [b]) => a - b)
    .slice(0, mostSampled)
    .map(([, at]) => at);
  const wanted = new Set(drawn);
  const texts = new Map<number, string>();
  for await (const { in: at, values } of inputs()) {
    if (wanted.has(at)) texts.set(at, splitText(itemText(planned.call, values), schedule.tokens * shareOfOne)[0] ?? '');
  }
  let used = 0;
  const fitting = drawn.filter((at) => {
    used += itemTokens(texts.get(at) ?? '');
    return used <= schedule.tokens;
  });
  return fitting.sort((a, b) => a - b).map((at) => texts.get(at) ?? '');
}

function classification({ planned, inputs }: RoundsJob, found: readonly string[]): Questions {
  const { call, schedule } = planned;
  const asked = classifyCall(call, found);
  return { call: asked, rows: valuesOf(inputs()), arity: call.inputs.length, size: schedule.partitionRows };
}

async function* valuesOf(rows: ReturnType<RoundsJob['inputs']>): AsyncGenerator<readonly string[]> {
  for await (const { values } of rows) yield values;
}
