/** Code that was written for one intent, and what became of a row that it was run on. */
import type { OutputType } from '../../operators/output.js';
import type { JsonValue } from '../../protocol/json.js';

/**
 * One JavaScript function expression. It gets a row, an object of the columns that it was written for, and returns null
 * where it cannot tell, or `{answer, confidence}`; `confidence`, in [0, 1], may be left out.
 */
export interface GeneratedCode {
  readonly source: string;
  /** What `answer` must look like; null is not of any type. */
  readonly output: OutputType;
}

export type CodeRow = Readonly<Record<string, JsonValue>>;

/** Why code has no answer for a row. Those with `strike` count against the code: three of them disable it. */
export const codeFaults = {
  /** It is no function expression. */
  'not-a-function': { strike: false },
  threw: { strike: false },
  /** A function, a promise, NaN, a cycle: what JSON cannot say. */
  'not-json': { strike: false },
  'wrong-type': { strike: false },
  /** The row or its answer is over the size that may cross. */
  'too-large': { strike: false },
  timeout: { strike: true },
  memory: { strike: true },
  /** The process that ran it ended. */
  crashed: { strike: true },
  /** Not run: the code was disabled before. */
  disabled: { strike: false },
} as const satisfies Record<string, { readonly strike: boolean }>;

export type CodeFault = keyof typeof codeFaults;

export type CodeOutcome =
  | { readonly state: 'ok'; readonly value: JsonValue; readonly confidence?: number }
  /** The code cannot tell: the next implementation is asked. */
  | { readonly state: 'abstained' }
  | { readonly state: 'failed'; readonly fault: CodeFault; readonly message: string };
