/** What specialised models answer: texts heard or read in media, and vectors. */
import type { OperatorKind, SemanticCall } from '../../plans/operators/call.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { LanguageModel, Model, ModelRequest, TextLine, Usage } from '../ports.js';
import type { ModelFunction } from './model-function.js';

/** The function of a specialised model that answers a call by itself; undefined for calls that only language models answer. */
export function specialistOf({ parameters, inputs }: SemanticCall): ModelFunction | undefined {
  const isOfImage = inputs.some(({ modality }) => modality === 'image');
  return parameters.kind === 'embed' && isOfImage ? 'imageEmbedder' : specialists[parameters.kind];
}

const specialists: Readonly<Partial<Record<OperatorKind, ModelFunction>>> = {
  embed: 'embedder',
  transcribe: 'transcriber',
  parse: 'ocr',
};

/** Local models count no tokens. */
const none: Usage = { inputTokens: 0, outputTokens: 0 };

/** A transcription or OCR model in the role of a language model that replies with the text; undefined for a model that is neither. */
export function mediaReader(model: Model, { parameters }: SemanticCall): LanguageModel | undefined {
  const { transcriber, ocr } = model;
  if (parameters.kind === 'transcribe' && transcriber !== undefined) {
    const options = parameters.language === undefined ? {} : { language: parameters.language };
    return {
      async complete(request, signal) {
        const { text, usage } = await transcriber.transcribe(mediaOf(request), options, signal);
        return { text, ...(usage === undefined ? {} : { usage }) };
      },
    };
  }
  if (parameters.kind === 'parse' && ocr !== undefined) {
    return {
      async complete(request, signal) {
        const { lines } = await ocr.read(mediaOf(request), signal);
        const score = meanScore(lines);
        const text = lines.map((line) => line.text).join('\n');
        return { text, usage: none, ...(score === undefined ? {} : { confidence: score }) };
      },
    };
  }
  return undefined;
}

/** Every character counts the same. */
function meanScore(lines: readonly TextLine[]): number | undefined {
  const length = lines.reduce((sum, { text }) => sum + text.length, 0);
  return length === 0 ? undefined : lines.reduce((sum, { text, score }) => sum + text.length * score, 0) / length;
}

/** One vector for each request, in their order. Throws `CallError`. */
export type VectorMaker = (
  requests: readonly ModelRequest[],
  signal: AbortSignal,
) => Promise<{ readonly vectors: readonly Float32Array[]; readonly usage?: Usage }>;

/** How an embedding model answers AI_EMBED; undefined for another call, and for a model that cannot. */
export function vectorMaker(model: Model, call: SemanticCall): VectorMaker | undefined {
  if (call.parameters.kind !== 'embed') return undefined;
  const { embedder, imageEmbedder } = model;
  if (specialistOf(call) === 'imageEmbedder') {
    if (imageEmbedder === undefined) return undefined;
    return async (requests, signal) => ({ ...(await imageEmbedder.embed(requests.map(mediaOf), signal)), usage: none });
  }
  return embedder === undefined ? undefined : (requests, signal) => embedder.embed(requests.map(textOf), signal);
}

function textOf({ content }: ModelRequest): string {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function mediaOf({ content }: ModelRequest): Uint8Array {
  const part = content.find(({ type }) => type !== 'text');
  if (part === undefined || part.type === 'text') throw new CallError('badMedia', 'the value is no image or clip');
  return part.bytes;
}
