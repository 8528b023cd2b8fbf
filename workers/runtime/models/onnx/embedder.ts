/** Texts to vectors, by a sentence encoder in ONNX. */
import type { Embedder } from '../../../../activities/ports.js';
import { localFailure } from './runtime.js';
import type { EmbeddingSession } from './session.js';

/** Texts evaluated together; more gains nothing on a CPU. */
const batchSize = 16;
/** Output width of the known embedders: all-MiniLM-L6-v2. A vector of another width corrects it. */
const defaultDimensions = 384;

/** An embedder by the session that `session` gives. */
export function embedderOf(session: () => Promise<EmbeddingSession>): Embedder {
  let dimensions = defaultDimensions;
  return {
    get dimensions() {
      return dimensions;
    },
    async embed(texts, signal) {
      const loaded = await session();
      const inputs = texts.map((text) => loaded.tokenize(text));
      // Texts of like length together: a batch is padded to its longest.
      const order = inputs.map((_, at) => at).sort((a, b) => (inputs[a]?.length ?? 0) - (inputs[b]?.length ?? 0));
      const vectors: Float32Array[] = texts.map(() => new Float32Array());
      for (let at = 0; at < order.length; at += batchSize) {
        signal.throwIfAborted();
        const batch = order.slice(at, at + batchSize);
        const made = await loaded.run(batch.map((index) => inputs[index] ?? [])).catch(localFailure);
        for (const [place, index] of batch.entries()) vectors[index] = made[place] ?? new Float32Array();
      }
      dimensions = vectors[0]?.length ?? dimensions;
      const inputTokens = inputs.reduce((sum, ids) => sum + ids.length, 0);
      return { vectors, usage: { inputTokens, outputTokens: 0 } };
    },
  };
}
