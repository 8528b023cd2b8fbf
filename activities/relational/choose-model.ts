/** Which model answers a call. */
import type { SemanticCall } from '../../plans/operators/call.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { type ModelFunction, modelFunction, noModelFor } from '../inference/model-function.js';
import { specialistOf } from '../inference/specialists.js';
import type { Modality, Model, Models } from '../ports.js';

export interface ModelChoice {
  readonly models: Models;
  /** Model for calls that name none. */
  readonly defaultModel: string;
  /** Model for AI_EMBED of texts. */
  readonly defaultEmbedder: string;
  /** Configured models that have a function, in the order of the configuration; chat models that take a modality. */
  readonly modelsWith: (name: ModelFunction, modality?: Modality) => readonly string[];
}

/**
 * The model of a call: the one that it names; else, for a call that specialised models answer, the run's if it can, the first
 * that has the function, or a language model that takes the medium; else the run's or the default one. Throws `UnknownModel`,
 * `NoModel` or `ModalityUnsupported` before anything is asked.
 *
 * @example const model = await chooseModel(ports, call, request.model);
 */
export async function chooseModel(ports: ModelChoice, call: SemanticCall, ofRun: string | undefined): Promise<Model> {
  const wanted = specialistOf(call);
  if (wanted === undefined) {
    const model = await ports.models.get(call.model ?? ofRun ?? ports.defaultModel);
    checkLanguage(model, call);
    return model;
  }
  if (call.model !== undefined) {
    const model = await ports.models.get(call.model);
    if (!canAnswer(model, wanted, call)) refuse(model, wanted, call);
    return model;
  }
  for (const name of candidates(ports, wanted, call, ofRun)) {
    const model = await ports.models.get(name);
    if (canAnswer(model, wanted, call)) return model;
  }
  throw noModelFor(wanted, placeOf(call));
}

function candidates(
  { defaultModel, defaultEmbedder, modelsWith }: ModelChoice,
  wanted: ModelFunction,
  call: SemanticCall,
  ofRun: string | undefined,
): readonly string[] {
  const first = ofRun === undefined ? [] : [ofRun];
  if (call.parameters.kind === 'embed') {
    return [...first, ...(wanted === 'embedder' ? [defaultEmbedder] : []), ...modelsWith(wanted)];
  }
  const [medium] = call.inputs;
  return [...first, ...modelsWith(wanted), defaultModel, ...modelsWith('language', medium?.modality)];
}

/** Embeddings alone have no stand-in among language models. */
function canAnswer(model: Model, wanted: ModelFunction, call: SemanticCall): boolean {
  if (model[wanted] !== undefined) return true;
  return call.parameters.kind !== 'embed' && model.language !== undefined && lacking(model, call) === undefined;
}

function refuse(model: Model, wanted: ModelFunction, call: SemanticCall): never {
  if (call.parameters.kind !== 'embed' && model.language !== undefined) checkModality(model, call);
  modelFunction(model, wanted, call.parameters.kind);
  throw noModelFor(wanted, placeOf(call));
}

function checkLanguage(model: Model, call: SemanticCall): void {
  checkModality(model, call);
  const classifies = call.parameters.kind === 'classify' && !call.parameters.multi;
  if (model.language !== undefined || (model.embedder !== undefined && classifies)) return;
  const message = `model ${model.name} cannot answer this ${call.parameters.kind} call`;
  throw new FermataError('ModalityUnsupported', message, {
    where: placeOf(call),
    hint: 'an embedding model answers single-label AI_CLASSIFY only; name a chat model',
  });
}

function checkModality(model: Model, call: SemanticCall): void {
  const missing = lacking(model, call);
  if (missing === undefined) return;
  throw new FermataError('ModalityUnsupported', `model ${model.name} takes no ${missing.modality} (${missing.label})`, {
    where: placeOf(call),
    hint: `name a model with modality ${missing.modality}, or declare one in fermata.yaml`,
  });
}

function lacking(model: Model, call: SemanticCall): SemanticCall['inputs'][number] | undefined {
  return call.inputs.find((input) => !model.modalities.includes(input.modality));
}

function placeOf(call: SemanticCall): { readonly operator: string; readonly position: number } {
  return { operator: call.parameters.kind, position: call.position };
}
