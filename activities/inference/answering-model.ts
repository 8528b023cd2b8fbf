import { LRUCache } from 'lru-cache';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import type { LanguageModel, Model, Models } from '../ports.js';
import { embeddingClassifier } from './embedding-classifier.js';

/** Classifiers keep their label vectors from one partition to the next. */
const classifiers = new LRUCache<string, LanguageModel>({ max: 32 });

/** The model that answers a call: a generative one itself, an embedding model by the nearest label. */
export async function answeringModel(
  models: Models,
  planned: PlannedCall,
): Promise<{ readonly model: Model; readonly language: LanguageModel }> {
  const model = await models.get(planned.schedule.model);
  if (model.language !== undefined) return { model, language: model.language };
  if (model.embedder === undefined || planned.call.parameters.kind !== 'classify') {
    throw new FermataError('ModalityUnsupported', `model ${model.name} cannot answer ${planned.schedule.operator}`, {
      where: { operator: planned.call.id },
      hint: 'name a chat model',
    });
  }
  const key = `${model.identity}\n${JSON.stringify(planned.call.parameters)}`;
  let language = classifiers.get(key);
  if (language === undefined) {
    language = embeddingClassifier(model.embedder, planned.call);
    classifiers.set(key, language);
  }
  return { model, language };
}
