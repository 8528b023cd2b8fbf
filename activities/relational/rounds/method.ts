import { parseJson } from '../../../plans/protocol/json.js';
import type { AnswerRow } from '../../ports.js';
import type { Asked, Questions, RoundsJob } from './files.js';

/** How a call is answered in rounds; its files are all that it keeps from one round to the next. */
export interface RoundMethod {
  /** The questions of a round, once those of the rounds before are answered; none (or no rows): the rounds are over. */
  ask(job: RoundsJob, round: number): Promise<Questions | undefined>;
  /** The answers of the call in the order of its inputs (or groups), after so many rounds; what is missing is undecided. */
  answers(job: RoundsJob, rounds: number): AsyncIterable<AnswerRow>;
}

/** The text of an answer; undefined for a question that has none. */
export function textOf({ answer }: Asked): string | undefined {
  const parsed = answer?.state === 'ok' ? parseJson(answer.value) : undefined;
  return parsed?.ok === true && typeof parsed.value === 'string' ? parsed.value : undefined;
}
