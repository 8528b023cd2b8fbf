/** Several inputs in one prompt, and every answer one of its own. */
import { hash } from 'node:crypto';
import { estimateTokens } from '../../plans/cost/index.js';
import { promptForms } from '../../plans/physical/batch/forms.js';
import { idsOf } from '../../plans/physical/batch/ids.js';
import type { BatchSchedule } from '../../plans/protocol/strategy.js';
import type { Answer, Ledger, ModelRequest } from '../ports.js';
import { type AskContext, type Attempt, ask, attempt, settleFailure } from './ask.js';
import { allOf } from './ask-all.js';
import { type Outcome, outcomesOf } from './outcome.js';
import type { Prompt } from './prompts.js';
import { sharesOf } from './shares.js';

/**
 * The ledger's key for an answer that came in a batch. It covers what the direct key covers, and the size that was asked
 * for; the other tuples of the batch are no part of it, so that a retry, a crash or a rerun finds each answer by itself,
 * whatever it is then packed with.
 */
export function batchKey(prompt: Prompt, { kind, size }: BatchSchedule): string {
  return hash('sha256', `${prompt.key}\n${promptForms[kind].version}\n${size}`);
}

/** Answers that are paid for: first those of batches of this size, then those to the same question asked directly. */
export async function findBatched(
  ledger: Ledger,
  prompts: readonly Prompt[],
  schedule: BatchSchedule,
): Promise<readonly (Answer | undefined)[]> {
  const inBatches = await ledger.lookup(prompts.map((prompt) => batchKey(prompt, schedule)));
  const lacking = prompts.filter((_, at) => inBatches[at] === undefined);
  const direct = await ledger.lookup(lacking.map(({ key }) => key));
  const byKey = new Map(lacking.map(({ key }, at) => [key, direct[at]]));
  return prompts.map(({ key }, at) => inBatches[at] ?? byKey.get(key));
}

export interface BatchContext extends AskContext {
  readonly schedule: BatchSchedule;
  readonly onAnswer: () => void;
}

interface Work extends BatchContext {
  readonly halt: () => void;
  /** By direct key; a key without one is undecided. */
  readonly outcomes: Map<string, Outcome>;
}

interface Tuple {
  readonly prompt: Prompt;
  readonly values: readonly string[];
}

/**
 * Asks what the ledger lacks in batches. Tuples that a reply leaves out, gives twice or answers wrongly are asked again, in
 * a smaller batch and then singly; a batch that is refused or cut is made in halves, and so is one for which a limit leaves
 * no room. In a later pass batches are half as large. Throws as `ask` does.
 */
export async function askBatches(
  prompts: readonly Prompt[],
  found: readonly (Answer | undefined)[],
  context: BatchContext,
): Promise<readonly Outcome[]> {
  const lacking = new Map<string, Tuple>();
  for (const [at, prompt] of prompts.entries()) {
    if (found[at] === undefined) lacking.set(prompt.key, { prompt, values: prompt.row.values });
  }
  const halt = new AbortController();
  const work: Work = {
    ...context,
    stop: AbortSignal.any([context.stop, halt.signal]),
    halt: () => halt.abort(),
    outcomes: new Map(),
  };
  const { size } = context.schedule;
  const packs = pack([...lacking.values()], context.again ? Math.ceil(size / 2) : size, work);
  await allOf(packs.map((tuples) => askGroup(tuples, context.again, 'repair', work)));
  return outcomesOf(prompts, found, work.outcomes);
}

function pack(tuples: readonly Tuple[], size: number, { call, model, schedule }: Work): readonly (readonly Tuple[])[] {
  const { contextTokens } = model;
  return promptForms[schedule.kind].pack(call, tuples, {
    size,
    ...(contextTokens === undefined ? {} : { contextTokens }),
  });
}

/** What becomes of tuples that a reply does not answer: a smaller batch, or one call each. */
type Then = 'repair' | 'singly';

async function askGroup(tuples: readonly Tuple[], retry: boolean, then: Then, work: Work): Promise<void> {
  try {
    const [first] = tuples;
    if (tuples.length === 1 && first !== undefined) await askSingly(first, retry, work);
    else await askTogether(tuples, retry, then, work);
  } catch (error) {
    work.halt();
    throw error;
  }
}

/** The same as directly: what a batch could not answer is worth a prompt of its own, and keeps the direct key. */
async function askSingly({ prompt }: Tuple, retry: boolean, work: Work): Promise<void> {
  const outcome = await ask(prompt.request as ModelRequest, prompt.key, { ...work, repeated: retry });
  if (outcome.state === 'undecided' && outcome.limit !== undefined) work.halt();
  work.outcomes.set(prompt.key, outcome);
  work.onAnswer();
}

async function askTogether(tuples: readonly Tuple[], retry: boolean, then: Then, work: Work): Promise<void> {
  const form = promptForms[work.schedule.kind];
  const named = form.named?.(work.call, tuples);
  const ids = idsOf(named?.map((text) => hash('sha256', text)) ?? tuples.map(({ prompt }) => prompt.key));
  const request = form.request(
    work.call,
    tuples.map(({ values }, at) => ({ id: ids[at] ?? '', values })),
  );
  const made = await attempt(request, tuples[0]?.prompt.key ?? '', work, retry);
  if ('state' in made) {
    await afterFailure(made, tuples, retry, then, work);
    return;
  }
  const unanswered = await keep(made, tuples, ids, retry, work);
  work.onAnswer();
  if (unanswered.length === 0) return;
  // All of a large batch once more would most likely meet what it met.
  const size = then === 'singly' ? 1 : Math.min(unanswered.length, Math.ceil(tuples.length / 2));
  await inTurn(pack(unanswered, size, work), true, 'singly', work);
}

/** A call without a reply: what is wrong with the batch as such is tried in halves, what will pass in the next pass. */
async function afterFailure(
  outcome: Outcome,
  tuples: readonly Tuple[],
  retry: boolean,
  then: Then,
  work: Work,
): Promise<void> {
  const refused = outcome.state === 'undecided' && outcome.limit !== undefined;
  if (outcome.state === 'error' || refused) {
    const middle = Math.ceil(tuples.length / 2);
    const halves = [tuples.slice(0, middle), tuples.slice(middle)];
    await inTurn(halves, refused ? retry : true, then, work);
    return;
  }
  for (const { prompt } of tuples) work.outcomes.set(prompt.key, outcome);
}

async function inTurn(groups: readonly (readonly Tuple[])[], retry: boolean, then: Then, work: Work): Promise<void> {
  for (const group of groups) if (!work.stop.aborted) await askGroup(group, retry, then, work);
}

/** Keeps the answers of a reply, each with its share of the price, and returns the tuples that it does not answer. */
async function keep(
  made: Attempt,
  tuples: readonly Tuple[],
  ids: readonly string[],
  retry: boolean,
  work: Work,
): Promise<readonly Tuple[]> {
  const { call, reservation, ledger, schedule } = work;
  const said = promptForms[schedule.kind].read(made.reply.text, call, ids);
  const answered = tuples.flatMap((tuple, at) => {
    const decoded = said.get(ids[at] ?? '');
    return decoded?.ok === true ? [{ tuple, value: decoded.value }] : [];
  });
  const paid = sharesOf(
    { usage: made.usage, usd: made.usd ?? 0, ms: made.ms, runId: reservation.runId },
    answered.map(({ tuple }) => tuple.values.reduce((sum, value) => sum + estimateTokens(value), 0)),
  );
  const answers = answered.map(({ tuple: { prompt }, value }, at) => {
    const answer: Answer = { ...(paid[at] as (typeof paid)[number]), value };
    return { prompt, key: batchKey(prompt, schedule), answer };
  });
  const [own, ...others] = answers;
  if (own === undefined) {
    await settleFailure(tuples[0]?.prompt.key ?? '', work, made.reserved, made.usage, made.usd, retry);
    return tuples;
  }
  await ledger.settle(reservation, call.id, made.reserved, {
    key: own.key,
    answer: own.answer,
    others: others.map(({ key, answer }) => ({ key, answer })),
    usage: made.usage,
    ...(made.usd === undefined ? {} : { usd: made.usd }),
    retry,
  });
  for (const { prompt, answer } of answers) work.outcomes.set(prompt.key, { state: 'ok', answer, cached: false });
  const kept = new Set(answers.map(({ prompt }) => prompt.key));
  return tuples.filter(({ prompt }) => !kept.has(prompt.key));
}
