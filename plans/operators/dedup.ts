import { checkTexts } from './aggregate.js';
import type { SemanticCall } from './call.js';
import { decodeAnswer } from './decode.js';
import { dataText } from './items.js';
import { asWritten, badCall, parametersOf, type SemanticOperator } from './operator.js';

/** Most others that an item is compared with. */
export const maxNeighbours = 50;

/** What is compared of a row: its columns without the keys. */
export function comparedText(call: SemanticCall, values: readonly string[]): string {
  const { keys } = parametersOf(call, 'dedup');
  return dataText({ inputs: call.inputs.slice(0, call.inputs.length - keys) }, values);
}

/** `AI_DEDUP`: the number of the entity that a row is about. It is answered in rounds of questions about pairs, never directly. */
export const dedup: SemanticOperator = {
  system: () => '',
  ask: asWritten,
  maxOutputTokens: () => 0,
  decode: (reply, call) => decodeAnswer(reply, call.output),
  check: (call) => {
    const { instruction, keys } = parametersOf(call, 'dedup');
    if (instruction.trim() === '')
      throw badCall(call, 'The instruction of AI_DEDUP is empty: say what makes two rows the same.');
    if (keys >= call.inputs.length) throw badCall(call, 'AI_DEDUP compares no column.');
    checkTexts(call);
  },
};
