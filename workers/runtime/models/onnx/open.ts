/** Models of kind `onnx`, run in this process by onnxruntime-node. What one can do follows from the task of its weights. */
import type { Modality, Model } from '../../../../activities/ports.js';
import { FermataError } from '../../../../plans/protocol/errors.js';
import { type WeightManifest, weightManifest, type WeightTask } from '../../weights/manifest.js';
import { type BackendDeps, commonParts, type OpenedModel, type SettingsOf } from '../backend.js';
import { loadVoiceNetwork, speechDetector } from '../speech/voice-activity.js';
import { imageClassifier, imageEmbedder, loadImageNetwork } from '../vision/image-network.js';
import { loadOcr, ocrReader } from '../vision/ocr.js';
import { type Loaded, lazyWeights, weightsFile } from '../weights-file.js';
import { embedderOf } from './embedder.js';
import type { Provider } from './runtime.js';
import { loadSession } from './session.js';

/** Sentence encoders were mostly trained on no more. */
const defaultMaxTokens = 256;

interface LoadOptions {
  readonly executionProviders: readonly Provider[];
  readonly maxTokens: number;
}

/** One task of ONNX weights: how they are loaded, and which functions of a model they bring. */
interface Task<T extends Loaded> {
  readonly modality: Modality;
  readonly load: (path: string, options: LoadOptions) => Promise<T>;
  readonly functions: (load: () => Promise<T>) => Partial<Model>;
}

const task = <T extends Loaded>(row: Task<T>): Task<Loaded> => row as unknown as Task<Loaded>;

const tasks: Readonly<Partial<Record<WeightTask, Task<Loaded>>>> = {
  embedding: task({ modality: 'text', load: loadSession, functions: (load) => ({ embedder: embedderOf(load) }) }),
  ocr: task({
    modality: 'image',
    load: (path, { executionProviders }) => loadOcr(path, executionProviders),
    functions: (load) => ({ ocr: ocrReader(load) }),
  }),
  'image-classification': task({
    modality: 'image',
    load: (path, { executionProviders }) => loadImageNetwork(path, executionProviders),
    functions: (load) => ({ imageClassifier: imageClassifier(load), imageEmbedder: imageEmbedder(load) }),
  }),
  'voice-activity': task({
    modality: 'audio',
    load: (path, { executionProviders }) => loadVoiceNetwork(path, executionProviders),
    functions: (load) => ({ speechDetector: speechDetector(load) }),
  }),
};

/**
 * Opens a model of kind `onnx`; the weights are loaded with the first call. Weights outside the manifest are text
 * embedders. Throws `FermataError` `BadConfig` for weights of another runtime.
 */
export async function openOnnx(name: string, settings: SettingsOf<'onnx'>, deps: BackendDeps): Promise<OpenedModel> {
  const weights = weightsFile(settings.weights, deps.modelsDir);
  const manifest: WeightManifest = weightManifest;
  const entry = Object.hasOwn(manifest, settings.weights) ? manifest[settings.weights] : undefined;
  const found = tasks[entry?.task ?? 'embedding'];
  if (found === undefined) {
    throw new FermataError('BadConfig', `models.${name}: the weights ${settings.weights} are no ONNX model`, {
      hint: 'Weights of chat models are opened with kind: llama.',
    });
  }
  const maxTokens = settings.contextTokens ?? entry?.maxTokens ?? defaultMaxTokens;
  const loaded = lazyWeights(weights, (path) => found.load(path, { ...settings, maxTokens }));
  return {
    model: {
      ...commonParts(name, settings),
      modalities: [found.modality],
      identity: `onnx:${await weights.sha256()}`,
      ...found.functions(loaded.load),
    },
    close: loaded.close,
  };
}
