/** What configured models can do, as their settings tell: no model is opened for it. */
import type { ModelFunction } from '../activities/inference/model-function.js';
import type { Modality } from '../activities/ports.js';
import type { ModelSettings, Settings } from './config/settings.js';
import { type WeightManifest, weightManifest, type WeightTask } from './runtime/weights/manifest.js';

const ofWeights: Readonly<Partial<Record<WeightTask, readonly ModelFunction[]>>> = {
  embedding: ['embedder'],
  ocr: ['ocr'],
  'image-classification': ['imageClassifier', 'imageEmbedder'],
  'voice-activity': ['speechDetector'],
};

const ofTask = { chat: 'language', embedding: 'embedder', transcription: 'transcriber' } as const;

function functionsOf(model: ModelSettings): readonly ModelFunction[] {
  if (model.kind === 'openai') return [ofTask[model.task]];
  if (model.kind === 'llama') return ['language'];
  const manifest: WeightManifest = weightManifest;
  const entry = Object.hasOwn(manifest, model.weights) ? manifest[model.weights] : undefined;
  return ofWeights[entry?.task ?? 'embedding'] ?? [];
}

/**
 * Names of the models that have a function, in the order of the configuration; with a modality, those that declare it.
 *
 * @example modelsWith(settings.models, 'ocr') // ['reader']
 */
export function modelsWith(models: Settings['models'], name: ModelFunction, modality?: Modality): readonly string[] {
  return Object.entries(models)
    .filter(([, model]) => functionsOf(model).includes(name))
    .filter(([, model]) => modality === undefined || model.modalities.includes(modality))
    .map(([key]) => key);
}
