/** The ways in which prompts are looked up and asked, by the schedule of their call. */
import type { SemanticCall } from '../../plans/operators/call.js';
import type { PromptSchedule } from '../../plans/protocol/strategy.js';
import type { Answer, Ledger, Model } from '../ports.js';
import { type AskAllContext, allOf, askAll, createAsker } from './ask-all.js';
import { askBatches, findBatched } from './ask-batches.js';
import { answerLong, type Answerer } from './long-texts.js';
import type { Outcome } from './outcome.js';
import type { Prompt } from './prompts.js';

/** What is asked, and how. */
export interface Asked {
  readonly call: SemanticCall;
  readonly model: Model;
  /** Absent: one prompt an input. */
  readonly schedule: PromptSchedule | undefined;
  /** As for `renderInput`. */
  readonly salt: string | undefined;
}

/** The answers that are paid for, in the order of the prompts, wherever the schedule keeps them. */
export async function findAnswers(
  ledger: Ledger,
  prompts: readonly Prompt[],
  { schedule, ...asked }: Asked,
): Promise<readonly (Answer | undefined)[]> {
  if (schedule === undefined) return ledger.lookup(prompts.map(({ key }) => key));
  if (schedule.kind !== 'chunked') return findBatched(ledger, prompts, schedule);
  const job = { ...asked, schedule };
  const found: (Answer | undefined)[] = [];
  for (const prompt of prompts) {
    const outcome = await answerLong(prompt, job, (wanted) => lookup(ledger, wanted));
    found.push(outcome.state === 'ok' ? outcome.answer : undefined);
  }
  return found;
}

/** What the ledger has of prompts; the others are undecided. */
export async function lookup(ledger: Ledger, prompts: readonly Prompt[]): Promise<readonly Outcome[]> {
  const found = await ledger.lookup(prompts.map(({ key }) => key));
  return found.map((answer) => (answer === undefined ? { state: 'undecided' } : { state: 'ok', answer, cached: true }));
}

/** Asks what has no answer yet. Throws as `ask` does. */
export async function askPrompts(
  prompts: readonly Prompt[],
  found: readonly (Answer | undefined)[],
  context: AskAllContext,
  { schedule, ...asked }: Asked,
): Promise<readonly Outcome[]> {
  if (schedule === undefined) return askAll(prompts, found, context);
  if (schedule.kind !== 'chunked') return askBatches(prompts, found, { ...context, schedule });
  const job = { ...asked, schedule };
  const asker = createAsker(context);
  const answer: Answerer = async (wanted) => {
    const known = await lookup(context.ledger, wanted);
    return allOf(wanted.map((prompt, at) => (known[at]?.state === 'ok' ? Promise.resolve(known[at]) : asker(prompt))));
  };
  return allOf(
    prompts.map((prompt, at) => {
      const had = found[at];
      if (had !== undefined) return Promise.resolve<Outcome>({ state: 'ok', answer: had, cached: true });
      return answerLong(prompt, job, answer);
    }),
  );
}
