import type { PromptSchedule } from '../../plans/protocol/strategy.js';
import type { Answer, Ledger } from '../ports.js';
import { findBatched } from './ask-batches.js';
import type { Prompt } from './prompts.js';

/** The answers that are paid for, in the order of the prompts, wherever the schedule of their call keeps them. */
export function findAnswers(
  ledger: Ledger,
  prompts: readonly Prompt[],
  schedule: PromptSchedule | undefined,
): Promise<readonly (Answer | undefined)[]> {
  if (schedule === undefined) return ledger.lookup(prompts.map(({ key }) => key));
  return findBatched(ledger, prompts, schedule);
}
