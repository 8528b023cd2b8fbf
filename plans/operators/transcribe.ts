import { decodeAnswer } from './decode.js';
import { badCall, parametersOf, type SemanticOperator } from './operator.js';

/** A language model hears a few minutes at most; four words a second at two tokens a word. */
const mostTokens = 4096;

/** `AI_TRANSCRIBE`: what is said in a clip, by a transcription model or a language model that hears. */
export const transcribe: SemanticOperator = {
  system: (call) => {
    const { language } = parametersOf(call, 'transcribe');
    const spoken = language === undefined ? '' : ` The language spoken is ${language}.`;
    return `Write down what is said in the clip, word for word, in the language spoken.${spoken} Reply with the transcript only.`;
  },
  ask: (intent) => (intent.trim() === '' ? 'What is said?' : intent),
  maxOutputTokens: () => mostTokens,
  // a clip in which nothing is said
  decode: (reply, call) => (reply.trim() === '' ? { ok: true, value: '' } : decodeAnswer(reply, call.output)),
  check: (call) => {
    const { language } = parametersOf(call, 'transcribe');
    if (call.output.kind !== 'string') throw badCall(call, 'A transcript is text.');
    if (language !== undefined && !/^[a-z]{2}$/.test(language)) {
      throw badCall(call, `${JSON.stringify(language)} is no ISO 639-1 code.`, "Such codes are 'en', 'de', 'fr'.");
    }
    const other = call.inputs.find(({ modality }) => modality !== 'audio');
    if (other !== undefined) {
      const hint = `Declare the column with --audio ${other.label}.`;
      throw badCall(call, `AI_TRANSCRIBE takes audio, and ${other.label} is ${other.modality}.`, hint);
    }
  },
};
