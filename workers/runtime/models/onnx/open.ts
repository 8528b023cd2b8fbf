/** Models of kind `onnx`: text embedders run in this process by onnxruntime-node. */
import type { Embedder, Model } from '../../../../activities/ports.js';
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { type WeightManifest, weightManifest } from '../../weights/manifest.js';
import { type BackendDeps, commonParts, type OpenedModel, type SettingsOf } from '../backend.js';
import { weightsFile } from '../weights-file.js';
import { type EmbeddingSession, loadSession } from './session.js';

/** Sentence encoders were mostly trained on no more. */
const defaultMaxTokens = 256;
/** Texts evaluated together; more gains nothing on a CPU. */
const batchSize = 16;
/** Output width of the known embedders: all-MiniLM-L6-v2. A vector of another width corrects it. */
const defaultDimensions = 384;

/** Opens a model of kind `onnx`; the weights are loaded with the first call. */
export async function openOnnx(name: string, settings: SettingsOf<'onnx'>, deps: BackendDeps): Promise<OpenedModel> {
  const weights = weightsFile(settings.weights, deps.modelsDir);
  const manifest: WeightManifest = weightManifest;
  const maxTokens = settings.contextTokens ?? manifest[settings.weights]?.maxTokens ?? defaultMaxTokens;
  let loading: Promise<EmbeddingSession> | undefined;

  async function load(): Promise<EmbeddingSession> {
    await weights.require();
    return loadSession(weights.path, { executionProviders: settings.executionProviders, maxTokens });
  }

  const session = (): Promise<EmbeddingSession> => {
    if (loading === undefined) {
      loading = load();
      // Weights may be pulled meanwhile: the next call looks again.
      loading.catch(() => (loading = undefined));
    }
    return loading;
  };
  const model: Model = {
    ...commonParts(name, settings),
    identity: `onnx:${await weights.sha256()}`,
    embedder: embedderOf(session),
  };
  return {
    model,
    async close() {
      const loaded = await loading?.catch(() => undefined);
      await loaded?.close();
    },
  };
}

function embedderOf(session: () => Promise<EmbeddingSession>): Embedder {
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
        const made = await loaded.run(batch.map((index) => inputs[index] ?? [])).catch((error: unknown) => {
          throw new CallError('serverError', `the local model failed: ${(error as Error).message}`, { cause: error });
        });
        for (const [place, index] of batch.entries()) vectors[index] = made[place] ?? new Float32Array();
      }
      dimensions = vectors[0]?.length ?? dimensions;
      const inputTokens = inputs.reduce((sum, ids) => sum + ids.length, 0);
      return { vectors, usage: { inputTokens, outputTokens: 0 } };
    },
  };
}
