/** Aggregates: the items of each group packed into questions, and their results joined, as a tree or one after the other. */
import { type AggregateStage, finalStages } from '../../../plans/operators/aggregate.js';
import { itemText, renderItems } from '../../../plans/operators/items.js';
import { resultTokens } from '../../../plans/physical/rounds/capacity.js';
import { aggregateCall } from '../../../plans/physical/rounds/round-calls.js';
import { type Chunk, type Item, packItems } from '../../../plans/physical/rounds/pack.js';
import type { AnswerRow } from '../../ports.js';
import type { Questions, RoundsJob } from './files.js';
import { type RoundMethod, textOf } from './method.js';

/** Questions of a partition: each is as long as the model takes. */
const size = 20;

/** Joins results pairwise or more until one is left: as many rounds as the logarithm of a group's questions. */
export const tree: RoundMethod = {
  ask: (job, round) => Promise.resolve(questions(job, round === 0 ? parts(job) : joined(job, round))),
  answers,
};

/** Takes one part after the other into one result: as many rounds as the largest group has parts. */
export const fold: RoundMethod = {
  ask: (job, round) => Promise.resolve(questions(job, folded(job, round))),
  answers,
};

interface Part {
  readonly group: number;
  readonly stage: AggregateStage;
  readonly items: readonly string[];
}

/** Packed items and stage are what the model sees; the group is a note of ours. */
function questions({ planned }: RoundsJob, found: AsyncIterable<Part>): Questions {
  return { call: aggregateCall(planned.call), rows: valuesOf(found), arity: 3, size };
}

async function* valuesOf(found: AsyncIterable<Part>): AsyncGenerator<readonly string[]> {
  for await (const { group, stage, items } of found) yield [renderItems(items), stage, String(group)];
}

async function* itemsOf({ planned, inputs }: RoundsJob): AsyncGenerator<Item> {
  for await (const { values } of inputs()) {
    yield { group: Number(values[0]), text: itemText(planned.call, values.slice(1)) };
  }
}

async function* parts(job: RoundsJob): AsyncGenerator<Part> {
  for await (const { group, index, last, items } of packItems(itemsOf(job), { tokens: job.schedule.tokens })) {
    yield { group, stage: index === 0 && last ? 'whole' : 'part', items };
  }
}

/** Results of the round before, of groups that had several and all of them. */
async function* joined(job: RoundsJob, round: number): AsyncGenerator<Part> {
  // two results always go together, so that each round has fewer
  for await (const chunk of packItems(results(job, round - 1), { tokens: job.schedule.tokens, least: 2 })) {
    yield { group: chunk.group, stage: chunk.index === 0 && chunk.last ? 'final' : 'merge', items: chunk.items };
  }
}

async function* results(job: RoundsJob, round: number): AsyncGenerator<Item> {
  let group = -1;
  let texts: (string | undefined)[] = [];
  const whole = (): readonly Item[] =>
    texts.length < 2 || texts.includes(undefined) ? [] : texts.map((text = '') => ({ group, text }));
  for await (const asked of job.asked(round)) {
    const next = Number(asked.values[2]);
    if (next !== group) {
      yield* whole();
      group = next;
      texts = [];
    }
    texts.push(textOf(asked));
  }
  yield* whole();
}

/** The part of each group that is the round's, behind the result of the round before. */
async function* folded(job: RoundsJob, round: number): AsyncGenerator<Part> {
  const { tokens } = job.schedule;
  const so = new Map<number, string>();
  if (round > 0) {
    for await (const asked of job.asked(round - 1)) {
      const text = textOf(asked);
      if (text !== undefined) so.set(Number(asked.values[2]), text);
    }
  }
  const further = Math.max(tokens - resultTokens, tokens >> 1);
  for await (const chunk of packItems(itemsOf(job), { tokens, further })) {
    if (chunk.index !== round) continue;
    const before = so.get(chunk.group);
    if (round === 0 || before !== undefined) yield foldStep(chunk, before);
  }
}

function foldStep({ group, last, items }: Chunk, before: string | undefined): Part {
  if (before === undefined) return { group, stage: last ? 'whole' : 'part', items };
  return { group, stage: last ? 'last' : 'more', items: [before, ...items] };
}

/** A group's answer is that of its last question; one of which a question failed has that error. */
async function* answers(job: RoundsJob, rounds: number): AsyncGenerator<AnswerRow> {
  const found = new Map<number, AnswerRow>();
  for (let round = 0; round < rounds; round += 1) {
    for await (const { values, answer } of job.asked(round)) {
      const group = Number(values[2]);
      if (answer === undefined || answer.state === 'undecided' || found.has(group)) continue;
      const final = finalStages.has(values[1] as AggregateStage);
      if (answer.state === 'error' || final) found.set(group, { ...answer, in: group });
    }
  }
  yield* [...found.values()].sort((a, b) => a.in - b.in);
}
