import { decodeAnswer } from './decode.js';
import { badCall, type SemanticOperator } from './operator.js';

/** `AI_EMBED`: the vector of a text or an image. An embedding model reads the value alone, without instructions. */
export const embed: SemanticOperator = {
  system: () => '',
  ask: (intent) => intent,
  maxOutputTokens: () => 0,
  decode: (reply, call) => decodeAnswer(reply, call.output),
  check: (call) => {
    if (call.output.kind !== 'vector') throw badCall(call, 'An embedding is a vector.');
    const [input, second] = call.inputs;
    if (second !== undefined) throw badCall(call, 'An embedding is of one value.');
    if (input?.modality === 'audio') {
      throw badCall(call, 'AI_EMBED takes text or an image.', 'AI_EMBED(AI_TRANSCRIBE(clip)) embeds what is said.');
    }
  },
};
