import { type ErrorPlace, FermataError } from '../../plans/protocol/errors.js';
import type { Model } from '../ports.js';

/** What a specialised model may do, in the words of messages, and what to configure for it. */
const functions = {
  language: { does: 'answer prompts', hint: 'Name a chat model: kind: openai, or kind: llama with weights.' },
  embedder: { does: 'embed text', hint: 'Name an embedder, e.g. kind: onnx with weights: minilm.' },
  ocr: {
    does: 'read text in images',
    hint: 'Declare a model of kind: onnx with weights: pp-ocr, and run `fermata models pull pp-ocr`; or name a chat model that takes images.',
  },
  imageClassifier: {
    does: 'classify images by labels of its own',
    hint: 'Declare a model of kind: onnx with weights: efficientnet-lite0, and run `fermata models pull efficientnet-lite0`; or name a chat model that takes images.',
  },
  imageEmbedder: {
    does: 'embed images',
    hint: 'Declare a model of kind: onnx with weights: efficientnet-lite0, and run `fermata models pull efficientnet-lite0`.',
  },
  speechDetector: {
    does: 'find speech in audio',
    hint: 'Declare a model of kind: onnx with weights: silero-vad, and run `fermata models pull silero-vad`.',
  },
  transcriber: {
    does: 'write down speech',
    hint: 'Declare a model of kind: openai with task: transcription and the baseUrl of a server that has /audio/transcriptions; or a chat model that takes audio.',
  },
} as const satisfies Partial<Record<keyof Model, { readonly does: string; readonly hint: string }>>;

export type ModelFunction = keyof typeof functions;

/**
 * One function of a model. Throws `FermataError` `ModalityUnsupported`, which names what to configure, where it has none.
 *
 * @example
 * const { lines } = await modelFunction(await models.get('ocr'), 'ocr').read(bytes, signal);
 */
export function modelFunction<F extends ModelFunction>(
  model: Model,
  name: F,
  operator?: string,
): NonNullable<Model[F]> {
  const found = model[name];
  if (found !== undefined) return found;
  const { does, hint } = functions[name];
  throw new FermataError('ModalityUnsupported', `model ${model.name} cannot ${does}`, {
    hint,
    ...(operator === undefined ? {} : { where: { operator } }),
  });
}

/** The error of a call that no configured model can answer. */
export function noModelFor(name: ModelFunction, where: ErrorPlace): FermataError {
  const { does, hint } = functions[name];
  return new FermataError('ModalityUnsupported', `no configured model can ${does}`, { hint, where });
}
