/** A text that is too long for one prompt: read in parts, every part and every joining of parts an answer of the ledger. */
import type { SemanticCall } from '../../plans/operators/call.js';
import { groupAnswers, joinFields, joiningOf, joinTexts } from '../../plans/physical/chunk/join.js';
import {
  cutTuple,
  joinCall,
  leastPartTokens,
  longestInput,
  partCall,
  partTokens,
  type Piece,
} from '../../plans/physical/chunk/pieces.js';
import type { JsonValue } from '../../plans/protocol/json.js';
import type { ChunkSchedule } from '../../plans/protocol/strategy.js';
import type { Answer, Model } from '../ports.js';
import type { Outcome } from './outcome.js';
import { type Prompt, renderInput } from './prompts.js';

export interface LongTexts {
  readonly call: SemanticCall;
  readonly model: Model;
  readonly schedule: ChunkSchedule;
  /** As for `renderInput`. */
  readonly salt: string | undefined;
}

/** Gives prompts their outcomes, in their order: by asking, or by looking what has been answered. */
export type Answerer = (prompts: readonly Prompt[]) => Promise<readonly Outcome[]>;

/**
 * The outcome of one tuple: asked whole where it fits, else in parts. A prompt that the model finds too long all the same is
 * cut into parts of half the size. The same text is cut alike in every run, so that what has been paid for is found.
 */
export async function answerLong(prompt: Prompt, job: LongTexts, answer: Answerer): Promise<Outcome> {
  const { values } = prompt.row;
  const longest = longestInput(values).tokens;
  let most = bound(values, job) ?? longest;
  if (longest <= most) {
    const [whole = undecided] = await answer([prompt]);
    if (!isTooLong(whole)) return whole;
    most = Math.ceil(longest / 2);
  }
  for (; most >= leastPartTokens; most = Math.ceil(most / 2)) {
    const pieces = cutTuple(values, most);
    const ask = partCall(job.call);
    const outcomes = await answer(pieces.map((piece) => render(ask, piece.values, prompt, job)));
    const answers = allOf(outcomes);
    if ('state' in answers) {
      if (isTooLong(answers)) continue;
      return answers;
    }
    if (joiningOf(job.call) === 'ask') return joinByAsking(prompt, answers, outcomes.every(isCached), job, answer);
    const value = joinPlainly(
      answers.map((each) => each.value),
      pieces,
      job.call,
    );
    return { state: 'ok', answer: composed(value, answers), cached: outcomes.every(isCached) };
  }
  return {
    state: 'error',
    code: 'contextTooLong',
    message: `not even parts of ${leastPartTokens} tokens fit the model`,
  };
}

function bound(values: readonly string[], { call, model, schedule }: LongTexts): number | undefined {
  const { contextTokens } = model;
  return partTokens(call, values, {
    ...(schedule.tokens === undefined ? {} : { tokens: schedule.tokens }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
  });
}

const undecided: Outcome = { state: 'undecided' };

function isTooLong(outcome: Outcome): boolean {
  return outcome.state === 'error' && outcome.code === 'contextTooLong';
}

function render(call: SemanticCall, values: readonly string[], { row }: Prompt, { model, salt }: LongTexts): Prompt {
  return renderInput(call, { ...row, values }, model, salt);
}

/** All answers, or the outcome that stands in the way: an error before a wait, a wait before a stop. */
function allOf(outcomes: readonly Outcome[]): readonly Answer[] | Outcome {
  const answers = outcomes.flatMap((outcome) => (outcome.state === 'ok' ? [outcome.answer] : []));
  if (answers.length === outcomes.length) return answers;
  for (const state of ['error', 'transient', 'undecided'] as const) {
    const at = outcomes.findIndex((outcome) => outcome.state === state);
    const first = outcomes[at];
    if (first === undefined) continue;
    if (first.state !== 'error' || outcomes.length === 1) return first;
    return { ...first, message: `part ${at + 1} of ${outcomes.length}: ${first.message}` };
  }
  return undecided;
}

function joinPlainly(answers: readonly JsonValue[], pieces: readonly Piece[], call: SemanticCall): JsonValue {
  return joiningOf(call) === 'text' ? joinTexts(answers, pieces) : joinFields(answers, call);
}

/** Tokens of answers that are joined at once, where the model's context is not known. */
const usualRoom = 4000;

/** Rounds of joining until one answer is left: as few as the context allows. */
async function joinByAsking(
  prompt: Prompt,
  parts: readonly Answer[],
  partsCached: boolean,
  job: LongTexts,
  answer: Answerer,
): Promise<Outcome> {
  const { values: tuple } = prompt.row;
  const { contextTokens } = job.model;
  const ask = joinCall(job.call);
  const used = [...parts];
  let room = (contextTokens === undefined ? undefined : partTokens(ask, tuple, { contextTokens })) ?? usualRoom;
  let values = parts.map(({ value }) => value);
  let cached = partsCached;
  while (values.length > 1) {
    const groups = groupAnswers(tuple, values, room);
    const joining = groups.filter(({ answers }) => answers.length > 1);
    const outcomes = await answer(joining.map((group) => render(ask, group.values, prompt, job)));
    const joined = allOf(outcomes);
    if ('state' in joined) {
      const smallest = joining.every(({ answers }) => answers.length === 2);
      if (!isTooLong(joined) || smallest) return joined;
      room = Math.ceil(room / 2);
      continue;
    }
    cached &&= outcomes.every(isCached);
    used.push(...joined);
    const left = joined.map(({ value }) => value);
    values = groups.flatMap(({ answers }) => (answers.length > 1 ? left.splice(0, 1) : answers));
  }
  return { state: 'ok', answer: composed(values[0] ?? null, used), cached };
}

function isCached(outcome: Outcome): boolean {
  return outcome.state === 'ok' && outcome.cached;
}

/** An answer that was made of others, with what they took together. */
function composed(value: JsonValue, parts: readonly Answer[]): Answer {
  const sum = (of: (answer: Answer) => number): number => parts.reduce((total, part) => total + of(part), 0);
  return {
    value,
    usage: { inputTokens: sum(({ usage }) => usage.inputTokens), outputTokens: sum(({ usage }) => usage.outputTokens) },
    usd: sum(({ usd }) => usd),
    ms: sum(({ ms }) => ms),
    runId: parts.at(-1)?.runId ?? '',
  };
}
