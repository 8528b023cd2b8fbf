/** Dedup: every input is compared with those near it, the model says which pairs are the same, and these make clusters. */
import { comparedText } from '../../../plans/operators/dedup.js';
import { parametersOf } from '../../../plans/operators/operator.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { parseJson } from '../../../plans/protocol/json.js';
import {
  candidatePairs,
  type Pair,
  resolve,
  type Resolved,
  type Verdict,
} from '../../../plans/physical/dedup/asking.js';
import {
  type Neighbour,
  nearestBySpelling,
  nearestByVectors,
  type NearestOf,
} from '../../../plans/physical/dedup/nearest.js';
import { sameCall, vectorCall } from '../../../plans/physical/rounds/round-calls.js';
import { splitText } from '../../../plans/physical/rounds/split.js';
import type { AnswerRow } from '../../ports.js';
import type { Asked, Questions, RoundsJob } from './files.js';
import type { RoundMethod } from './method.js';

/** Distinct inputs that are compared with one another, at most: the work grows with their square. */
const mostTogether = 10_000;
/** Inputs between two pauses, in which heartbeats are sent. */
const pause = 32;

export const entities: RoundMethod = {
  async ask(job, round) {
    if (job.prepared.inputs < 2) return undefined;
    const first = firstPairs(job);
    if (round === 0) await checkBlocks(job);
    if (round < first) return vectorQuestions(job);
    if (round === first) await job.writeState(first, await candidates(job));
    const { next } = await stateAfter(job, round);
    return next.length === 0 ? undefined : pairQuestions(job, next);
  },
  async *answers(job, rounds) {
    const failed = firstPairs(job) === 0 || rounds === 0 ? new Map<number, AnswerRow>() : await unembedded(job);
    const alone = job.prepared.inputs < 2;
    if (!alone && (await job.findState(firstPairs(job))) === undefined) return;
    const { clusters, open, failed: lost } = alone ? resolve(1, [], []) : await stateAfter(job, rounds);
    const undecided = new Set(open.flat().map((item) => clusters.of(item)));
    for (const { pair, round, question } of lost) {
      const row = await errorOf(job, round + firstPairs(job), question);
      if (row !== undefined) failed.set(pair[1], { ...row, in: pair[1] });
    }
    const numbers = clusters.numbers();
    for await (const { in: at } of job.inputs()) {
      if (undecided.has(clusters.of(at))) continue;
      yield failed.get(at) ?? { in: at, state: 'ok', value: String(numbers[at]) };
    }
  },
};

/** The round of the first pairs: vectors are made in one before. */
function firstPairs({ schedule }: RoundsJob): number {
  return schedule.nearness === undefined ? 0 : 1;
}

/** Inputs with equal keys, by their numbers. */
async function blocksOf(job: RoundsJob): Promise<readonly (readonly number[])[]> {
  const { keys } = parametersOf(job.planned.call, 'dedup');
  const blocks = new Map<string, number[]>();
  for await (const { in: at, values } of job.inputs()) {
    const key = keys === 0 ? '' : JSON.stringify(values.slice(-keys));
    const known = blocks.get(key);
    if (known === undefined) blocks.set(key, [at]);
    else known.push(at);
  }
  return [...blocks.values()];
}

async function checkBlocks(job: RoundsJob): Promise<void> {
  const largest = (await blocksOf(job)).reduce((most, { length }) => Math.max(most, length), 0);
  if (largest <= mostTogether) return;
  throw new FermataError('BadArgument', `AI_DEDUP would compare ${largest} different rows with one another`, {
    where: { operator: 'dedup', position: job.planned.call.position },
    hint: `at most ${mostTogether} at once: name columns that must be equal, {within: ['city']}, or select fewer rows`,
  });
}

async function candidates(job: RoundsJob): Promise<readonly Pair[]> {
  const { neighbours } = parametersOf(job.planned.call, 'dedup');
  const near = new Map<number, readonly Neighbour[]>();
  const read = await readings(job);
  let count = 0;
  for (const block of await blocksOf(job)) {
    const nearestOf = read(block);
    for (const [at, item] of block.entries()) {
      near.set(
        item,
        nearestOf(at, neighbours).map(({ item: other, likeness }) => ({ item: block[other] ?? 0, likeness })),
      );
      count += 1;
      if (count % pause === 0) await new Promise((go) => setImmediate(go));
    }
  }
  return candidatePairs(near);
}

/** What makes a block of items comparable: their vectors, or their texts. */
async function readings(job: RoundsJob): Promise<(block: readonly number[]) => NearestOf> {
  if (job.schedule.nearness === undefined) {
    const texts = await textsOf(job);
    return (block) => nearestBySpelling(block.map((item) => texts.get(item) ?? ''));
  }
  const vectors = new Map<number, Float32Array>();
  for await (const { question, answer } of job.asked(0)) {
    const parsed = answer?.state === 'ok' ? parseJson(answer.value) : undefined;
    if (parsed?.ok === true) vectors.set(question, Float32Array.from(parsed.value as readonly number[]));
  }
  return (block) => nearestByVectors(block.map((item) => vectors.get(item)));
}

async function textsOf({ planned, inputs }: RoundsJob, wanted?: ReadonlySet<number>): Promise<Map<number, string>> {
  const texts = new Map<number, string>();
  for await (const { in: at, values } of inputs()) {
    if (wanted?.has(at) !== false) texts.set(at, comparedText(planned.call, values));
  }
  return texts;
}

function vectorQuestions(job: RoundsJob): Questions {
  const call = vectorCall(job.planned.call);
  return { call, rows: itemsOf(job), arity: 1, size: job.planned.schedule.partitionRows, apart: true };
}

async function* itemsOf({ planned, inputs }: RoundsJob): AsyncGenerator<readonly string[]> {
  for await (const { values } of inputs()) yield [comparedText(planned.call, values)];
}

/** The texts of a pair in an order of their own, so that its question is the same whatever rows are around; then its numbers. */
async function pairQuestions(job: RoundsJob, pairs: readonly Pair[]): Promise<Questions> {
  const { planned, schedule } = job;
  const texts = await textsOf(job, new Set(pairs.flat()));
  const shown = (item: number): string => splitText(texts.get(item) ?? '', schedule.tokens / 2)[0] ?? '';
  const rows = pairs.map(([a, b]) => {
    const [first, second] = [shown(a), shown(b)];
    return [...(first < second ? [first, second] : [second, first]), String(a), String(b)];
  });
  return { call: sameCall(planned.call), rows, arity: 4, size: planned.schedule.partitionRows };
}

async function stateAfter(job: RoundsJob, rounds: number): Promise<Resolved> {
  const first = firstPairs(job);
  const pairs = (await job.readState(first)) as unknown as readonly Pair[];
  const verdicts: Verdict[][] = [];
  for (let round = first; round < rounds; round += 1) {
    const asked: Verdict[] = [];
    for await (const one of job.asked(round)) asked.push(verdictOf(one));
    verdicts.push(asked);
  }
  return resolve(job.prepared.inputs, pairs, verdicts);
}

function verdictOf({ answer }: Asked): Verdict {
  if (answer === undefined || answer.state === 'undecided') return 'open';
  if (answer.state === 'error') return 'failed';
  return answer.value === 'true' ? 'same' : 'other';
}

/** Inputs that could not be embedded, and so are near none. */
async function unembedded(job: RoundsJob): Promise<Map<number, AnswerRow>> {
  const failed = new Map<number, AnswerRow>();
  for await (const { question, answer } of job.asked(0)) {
    if (answer?.state === 'error') failed.set(question, { ...answer, in: question });
  }
  return failed;
}

async function errorOf(job: RoundsJob, round: number, wanted: number): Promise<AnswerRow | undefined> {
  for await (const { question, answer } of job.asked(round)) if (question === wanted) return answer;
  return undefined;
}
