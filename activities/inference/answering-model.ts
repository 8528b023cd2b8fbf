import { LRUCache } from 'lru-cache';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import type { LanguageModel, Model, Models } from '../ports.js';
import { embeddingClassifier } from './embedding-classifier.js';
import { mediaReader, type VectorMaker, vectorMaker } from './specialists.js';

/** Classifiers keep their label vectors from one partition to the next. */
const classifiers = new LRUCache<string, LanguageModel>({ max: 32 });

/** A model with what answers a call: words, or vectors. */
export type Answering =
  | { readonly model: Model; readonly language: LanguageModel; readonly vectors?: undefined }
  | { readonly model: Model; readonly vectors: VectorMaker };

/** The model that answers a call: a generative one itself, a specialised one by its function, an embedding model by the nearest label. */
export async function answeringModel(models: Models, planned: PlannedCall): Promise<Answering> {
  const { call, schedule } = planned;
  const model = await models.get(schedule.model);
  const vectors = vectorMaker(model, call);
  if (vectors !== undefined) return { model, vectors };
  const language = call.parameters.kind === 'embed' ? undefined : (model.language ?? mediaReader(model, call));
  if (language !== undefined) return { model, language };
  if (model.embedder === undefined || call.parameters.kind !== 'classify') {
    throw new FermataError('ModalityUnsupported', `model ${model.name} cannot answer ${schedule.operator}`, {
      where: { operator: call.id },
      hint: 'name a chat model',
    });
  }
  const key = `${model.identity}\n${JSON.stringify(call.parameters)}`;
  let classifier = classifiers.get(key);
  if (classifier === undefined) {
    classifier = embeddingClassifier(model.embedder, call);
    classifiers.set(key, classifier);
  }
  return { model, language: classifier };
}
