import { decodeAnswer } from './decode.js';
import { badCall, type SemanticOperator } from './operator.js';

/** A page of dense print. */
const mostTokens = 4096;

/** `AI_PARSE`: the text in an image, by an OCR model or a language model that sees. */
export const parse: SemanticOperator = {
  system: () =>
    'Write down all text in the image as it stands, line by line, and nothing else. Reply with the text only.',
  ask: (intent) => (intent.trim() === '' ? 'Which text is in the image?' : intent),
  maxOutputTokens: () => mostTokens,
  // an image without text
  decode: (reply, call) => (reply.trim() === '' ? { ok: true, value: '' } : decodeAnswer(reply, call.output)),
  check: (call) => {
    if (call.output.kind !== 'string') throw badCall(call, 'The text of an image is text.');
    const other = call.inputs.find(({ modality }) => modality !== 'image');
    if (other !== undefined) {
      const hint = `Declare the column with --image ${other.label}.`;
      throw badCall(call, `AI_PARSE takes an image, and ${other.label} is ${other.modality}.`, hint);
    }
  },
};
