import { CallError } from '../../plans/protocol/call-errors.js';
import type { Answer, ObjectStore } from '../ports.js';
import { type AskContext, ask } from './ask.js';
import { type Outcome, outcomesOf } from './outcome.js';
import { isText, loadMedia, type Prompt } from './prompts.js';

export interface AskAllContext extends AskContext {
  readonly store: ObjectStore;
  readonly onAnswer: () => void;
}

/**
 * Asks one prompt after another, each distinct key once; a fatal failure, and a limit that is reached, stop the others
 * from starting. The promise of a prompt rejects as `ask` throws.
 */
export function createAsker(context: AskAllContext): (prompt: Prompt) => Promise<Outcome> {
  const halt = new AbortController();
  const asking = { ...context, stop: AbortSignal.any([context.stop, halt.signal]) };
  const asked = new Map<string, Promise<Outcome>>();
  // One async function a call, no chains: at thousands of rows a second promises are what costs.
  const askNow = async ({ request, key, problem }: Prompt): Promise<Outcome> => {
    let outcome: Outcome;
    try {
      if (problem !== undefined) throw problem;
      outcome = await ask(isText(request) ? request : await loadMedia(request, context.store), key, asking);
    } catch (error) {
      if (!(error instanceof CallError) || error.fate !== 'row') {
        halt.abort();
        throw error;
      }
      outcome = { state: 'error', code: error.code, message: error.message };
    }
    // Once a limit has refused one call it refuses the rest: do not queue them at the gate.
    if (outcome.state === 'undecided' && outcome.limit !== undefined) halt.abort();
    context.onAnswer();
    return outcome;
  };
  return (prompt) => {
    const known = asked.get(prompt.key) ?? askNow(prompt);
    asked.set(prompt.key, known);
    return known;
  };
}

/** Asks what the ledger lacks, all at once as far as the model's limits go. Throws as `ask` does, once nothing is in flight. */
export async function askAll(
  prompts: readonly Prompt[],
  found: readonly (Answer | undefined)[],
  context: AskAllContext,
): Promise<readonly Outcome[]> {
  const asker = createAsker(context);
  const lacking = new Map<string, Promise<Outcome>>();
  for (const [at, prompt] of prompts.entries()) if (found[at] === undefined) lacking.set(prompt.key, asker(prompt));
  const outcomes = await allOf([...lacking.values()]);
  return outcomesOf(prompts, found, new Map([...lacking.keys()].map((key, at) => [key, outcomes[at] as Outcome])));
}

/** Waits for all, also where one fails: what is in flight is paid for, and is to be settled. */
export async function allOf<T>(promises: readonly Promise<T>[]): Promise<readonly T[]> {
  const settled = await Promise.allSettled(promises);
  return settled.map((result) => {
    if (result.status === 'rejected') throw result.reason;
    return result.value;
  });
}
