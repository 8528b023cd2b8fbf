/** The models of a process: configured ones by name, each opened once, by the backend of its kind. */
import type { Models } from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { ModelSettings } from '../../config/settings.js';
import type { BackendDeps, OpenedModel, OpenModel, SettingsOf } from './backend.js';
import { openLlama } from './llama/open.js';
import { openOnnx } from './onnx/open.js';
import { openOpenAi } from './openai/open.js';

type Kind = ModelSettings['kind'];

/** One row a kind of backend; heavy libraries are loaded behind these, with the first call. */
export const backendKinds: { readonly [K in Kind]: OpenModel<SettingsOf<K>> } = {
  openai: openOpenAi,
  llama: openLlama,
  onnx: openOnnx,
};

/** A model that is not in the settings: a benchmark's own, say. */
export type ExtraModel = (name: string, deps: BackendDeps) => Promise<OpenedModel>;

/**
 * Models by the names of `fermata.yaml`. `extra` models are added to them, and win over them.
 *
 * @example
 * const models = createModels(settings.models, { env: process.env, modelsDir: settings.modelsDir });
 * const { language } = await models.get(settings.defaults.llm);
 */
export function createModels(
  settings: Readonly<Record<string, ModelSettings>>,
  deps: BackendDeps,
  extra: Readonly<Record<string, ExtraModel>> = {},
): Models {
  const opened = new Map<string, Promise<OpenedModel>>();

  async function open(name: string): Promise<OpenedModel> {
    const own = Object.hasOwn(extra, name) ? extra[name] : undefined;
    if (own !== undefined) return own(name, deps);
    const model = Object.hasOwn(settings, name) ? settings[name] : undefined;
    if (model === undefined) throw unknownModel(name, [...Object.keys(settings), ...Object.keys(extra)]);
    const openIt = backendKinds[model.kind] as OpenModel<ModelSettings>;
    return openIt(name, model, deps);
  }

  return {
    async get(name) {
      let pending = opened.get(name);
      if (pending === undefined) {
        pending = open(name);
        opened.set(name, pending);
        // A model that could not be opened is tried anew by the next call.
        pending.catch(() => opened.delete(name));
      }
      return (await pending).model;
    },
    async close() {
      const all = await Promise.allSettled(opened.values());
      opened.clear();
      await Promise.all(all.flatMap((one) => (one.status === 'fulfilled' ? [one.value.close()] : [])));
    },
  };
}

function unknownModel(name: string, known: readonly string[]): FermataError {
  if (known.length === 0) {
    return new FermataError('NoModel', 'no model is configured', {
      hint: 'Set OPENAI_API_KEY, or declare one under models: in fermata.yaml.',
    });
  }
  return new FermataError('UnknownModel', `no model is named ${name}`, { hint: `Known: ${known.join(', ')}.` });
}
