import type { GeneratedCode } from '../../plans/physical/synthesis/code.js';
import {
  type CodeTask,
  codeInstructions,
  codeOfReply,
  codePrompt,
  repairCodePrompt,
} from '../../plans/physical/synthesis/prompt.js';
import type { Clock } from '../ports.js';
import type { CodeRunner } from '../code-port.js';
import { checkCode } from './check-code.js';

/** Asks the model that writes code. What it throws ends the drafting. */
export type AskDrafter = (
  request: { readonly system: string; readonly prompt: string },
  attempt: number,
  signal: AbortSignal,
) => Promise<string>;

export interface DraftingOptions {
  readonly runner: CodeRunner;
  readonly clock: Clock;
  readonly ask: AskDrafter;
  readonly signal: AbortSignal;
  /** Drafts asked for, at most. */
  readonly attempts?: number;
  /** Milliseconds after which no further draft is begun. */
  readonly withinMs?: number;
}

export type DraftedCode =
  | { readonly ok: true; readonly code: GeneratedCode; readonly attempts: number }
  /** No draft passed; what was wrong with the last one. */
  | { readonly ok: false; readonly problems: readonly string[]; readonly attempts: number };

/** Code for a task (CADENZA §6.3): drafted, checked, and drafted again with what was wrong, within bounds of attempts and time. */
export async function draftCode(task: CodeTask, options: DraftingOptions): Promise<DraftedCode> {
  const { runner, clock, ask, signal, attempts = 3, withinMs = 60_000 } = options;
  const until = clock.now() + withinMs;
  const samples = task.samples.map(({ row }) => row);
  let prompt = codePrompt(task);
  let problems: readonly string[] = ['No draft was asked for.'];
  let attempt = 0;
  while (attempt < attempts && clock.now() < until) {
    attempt += 1;
    const code = {
      source: codeOfReply(await ask({ system: codeInstructions, prompt }, attempt, signal)),
      output: task.output,
    };
    problems = await checkCode(runner, code, task.columns, samples, signal);
    if (problems.length === 0) return { ok: true, code, attempts: attempt };
    prompt = repairCodePrompt(task, code.source, problems);
  }
  return { ok: false, problems, attempts: attempt };
}
