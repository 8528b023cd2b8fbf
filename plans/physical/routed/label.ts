import { misfit } from '../synthesis/answer.js';
import type { OutputType } from '../../operators/output.js';
import { type JsonValue, parseJson } from '../../protocol/json.js';

/** The value that a label of a rule program stands for: texts and choices are themselves, all else is JSON; undefined for none. */
export function labelValue(label: string, output: OutputType): JsonValue | undefined {
  const plain = output.kind === 'string' || output.kind === 'enum' || output.kind === 'date';
  const parsed = plain ? ({ ok: true, value: label } as const) : parseJson(label);
  return parsed.ok && misfit(parsed.value, output, 'label') === undefined ? parsed.value : undefined;
}
