/** From a chat request to the simulated reply, or to the reason why the pool has none. */
import type { ModelProfile } from '../profile.schema.js';
import type { ChatRequest } from '../serve/request.js';
import { chooseTask, unitsOf } from '../truth/choose.js';
import type { Difficulty } from '../truth/difficulty.js';
import { readPrompt } from '../truth/items.js';
import type { Truth } from '../truth/registry.js';
import { type Ask, Unfillable } from './ask.js';
import { replyTokens, wantedBy } from './form.js';
import { writeAnswer } from './shapes.js';
import type { Token } from './written.js';

export interface Answerer {
  readonly truth: Truth;
  readonly difficulty: Difficulty;
  readonly seed: number;
}

export type Answered =
  | { readonly ok: true; readonly tokens: readonly Token[]; readonly tuples: number; readonly task: string | undefined }
  /** Not a call on known tuples, or not one that the truth can answer. */
  | { readonly ok: false; readonly why: string };

/** `replica` tells one sample from another at a temperature above 0; empty: the model's one answer. */
export function answerChat(pool: Answerer, request: ChatRequest, profile: ModelProfile, replica: string): Answered {
  const prompt = readPrompt(pool.truth, request.pieces, request.system);
  if (prompt.items.length === 0) return { ok: false, why: 'the prompt holds no registered tuple' };
  const choice = chooseTask(pool.truth.tasks, prompt, wantedBy(request.schema, prompt.raw));
  const units = unitsOf(choice.task, prompt, arrayLength(request));
  const ask: Ask = {
    truth: pool.truth,
    judge: {
      model: request.model,
      profile,
      difficulty: pool.difficulty,
      seed: pool.seed,
      replica,
      rows: units.length,
    },
    prompt,
    task: choice.task,
    units,
    definitions: request.schema?.$defs ?? {},
    write: writeAnswer,
  };
  try {
    return { ok: true, tokens: replyTokens(ask, request), tuples: prompt.items.length, task: choice.task?.key };
  } catch (error) {
    if (!(error instanceof Unfillable)) throw error;
    const among = choice.task === undefined && choice.among.length > 1 ? ` (${choice.among.join(', ')} fit alike)` : '';
    return { ok: false, why: `${error.message}${among}` };
  }
}

/** The length that the answer's list must have, where the schema says. */
function arrayLength({ schema }: ChatRequest): number | undefined {
  const answer = schema?.properties?.['answer'] ?? Object.values(schema?.properties ?? {}).at(-1) ?? schema;
  return answer?.minItems !== undefined && answer.minItems === answer.maxItems ? answer.minItems : undefined;
}
