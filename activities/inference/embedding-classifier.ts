import type { SemanticCall } from '../../plans/operators/call.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { Embedder, LanguageModel, ModelReply, ModelRequest } from '../ports.js';

/** Cosines between texts and labels are close together; this spreads them into a usable confidence. */
const temperature = 0.05;

/**
 * Answers a single-label classification by the label whose text is nearest to the input in an embedding space (zero-shot
 * by label prototypes). A label with a description is embedded with it. The labels are embedded once.
 */
export function embeddingClassifier(embedder: Embedder, call: SemanticCall): LanguageModel {
  const { parameters } = call;
  if (parameters.kind !== 'classify' || parameters.multi) {
    throw new CallError('badRequest', 'an embedding model answers single-label AI_CLASSIFY only');
  }
  const { labels } = parameters;
  let prototypes: Promise<readonly Float32Array[]> | undefined;
  async function labelVectors(signal: AbortSignal): Promise<readonly Float32Array[]> {
    const texts = labels.map(({ label, description }) =>
      description === undefined ? label : `${label}: ${description}`,
    );
    return (await embedder.embed(texts, signal)).vectors;
  }
  return {
    async complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply> {
      prototypes ??= labelVectors(signal);
      const text = request.content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
      const [own, { vectors, usage }] = await Promise.all([prototypes, embedder.embed([text], signal)]);
      const [vector] = vectors;
      if (vector === undefined) throw new CallError('emptyReply', 'the embedder returned no vector');
      const scores = own.map((prototype) => dot(prototype, vector));
      const best = scores.indexOf(Math.max(...scores));
      return {
        text: JSON.stringify({ answer: labels[best]?.label }),
        confidence: softmaxOf(scores, best),
        ...(usage === undefined ? {} : { usage }),
      };
    },
  };
}

function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < a.length; at += 1) sum += (a[at] ?? 0) * (b[at] ?? 0);
  return sum;
}

function softmaxOf(scores: readonly number[], at: number): number {
  const top = Math.max(...scores);
  const weights = scores.map((score) => Math.exp((score - top) / temperature));
  return (weights[at] ?? 0) / weights.reduce((sum, weight) => sum + weight, 0);
}
