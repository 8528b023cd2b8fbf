/** What a kind of backend is to the registry of models. */
import type { Model } from '../../../activities/ports.js';
import type { ModelSettings } from '../../config/settings.js';

export interface BackendDeps {
  /** Where keys are looked up, at the time of each call. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly modelsDir: string;
  /** In place of the built-in HTTP client; for tests and proxies. */
  readonly fetch?: typeof fetch;
}

export interface OpenedModel {
  readonly model: Model;
  /** Frees memory and connections. */
  close(): Promise<void>;
}

/** Opens one configured model; cheap, since what is heavy is loaded with the first call. */
export type OpenModel<S> = (name: string, settings: S, deps: BackendDeps) => Promise<OpenedModel>;

export type SettingsOf<K extends ModelSettings['kind']> = Extract<ModelSettings, { kind: K }>;

/** The parts of a model that come from its settings as they are. */
export function commonParts(name: string, settings: ModelSettings) {
  return {
    name,
    modalities: settings.modalities,
    limits: settings.limits,
    ...(settings.price === undefined ? {} : { price: settings.price }),
    ...(settings.contextTokens === undefined ? {} : { contextTokens: settings.contextTokens }),
  };
}
