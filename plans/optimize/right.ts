import { relativeError } from '../evaluation/numbers.js';
import { sameText } from '../evaluation/text.js';
import type { OutputType } from '../operators/output.js';
import type { JsonValue } from '../protocol/json.js';

/** Numbers this close count as one, in shares of their range, else of the right one. */
const tolerance = 0.1;

/** Whether an answer is the teacher's: what routers are fitted to. Quality itself goes by the operator's metric. */
export function isRight(value: JsonValue, label: JsonValue, output: OutputType): boolean {
  if (typeof value === 'number' && typeof label === 'number') {
    const range = output.kind === 'number' ? (output.max ?? Number.NaN) - (output.min ?? Number.NaN) : Number.NaN;
    return Number.isNaN(range)
      ? relativeError(value, label) <= tolerance
      : Math.abs(value - label) <= tolerance * range;
  }
  if (typeof value === 'string' && typeof label === 'string') return sameText(value, label);
  return value === label;
}
