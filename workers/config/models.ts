/** Models as settings: the ones of the file with their defaults filled in, and those that need no file. */
import { resolve } from 'node:path';
import type { Price } from '../../activities/ports.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { weightManifest } from '../runtime/weights/manifest.js';
import { normalizeBaseUrl, openAiBaseUrl } from './base-url.js';
import type { FileModel } from './file.schema.js';
import { suggestion } from './nearest.js';
import { knownModel } from './prices.js';
import type { ModelSettings } from './settings.js';

export type Environment = Readonly<Record<string, string | undefined>>;

/** An environment variable that is set and not blank. */
export function envValue(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === undefined || value === '' ? undefined : value;
}

/** Model that an OpenAI key or base URL brings when `OPENAI_MODEL` names none. */
export const defaultOpenAiModel = 'gpt-4o-mini';
/** Enough that a 50 ms endpoint answers 500 rows in about a second; a slower limit goes in `limits`. */
const endpointConcurrency = 32;
const endpointTimeoutMs = 60_000;
/** Local compute has no list price: it counts as 0 USD an hour unless the user says what the machine costs. */
const localPrice: Price = { unit: 'hour', usdPerHour: 0 };

function priceOf(model: FileModel): Price | undefined {
  if (model.price === undefined) return undefined;
  return 'usdPerHour' in model.price ? { unit: 'hour', ...model.price } : { unit: 'tokens', ...model.price };
}

interface ModelContext {
  readonly env: Environment;
  readonly projectDir: string;
  /** Where the model is declared, for messages. */
  readonly origin: string;
}

/** A manifest name as it is; a path resolved against the project. Throws `BadConfig` for neither. */
function weightsOf(text: string, context: ModelContext, path: 'gguf' | 'none'): string {
  if (Object.hasOwn(weightManifest, text)) return text;
  if (path === 'gguf' && (text.includes('/') || text.endsWith('.gguf'))) return resolve(context.projectDir, text);
  throw new FermataError(
    'BadConfig',
    `${context.origin}.weights: no weights named ${text}${suggestion(text, Object.keys(weightManifest))}`,
    path === 'gguf' ? { hint: 'A GGUF file of your own is named by its path, e.g. ./models/my.gguf.' } : {},
  );
}

/** What models of these names do; the others chat. */
const taskNames = [
  { pattern: /embed/, task: 'embedding' },
  { pattern: /whisper|transcribe/, task: 'transcription' },
] as const;

const taskOf = (model: string) => taskNames.find(({ pattern }) => pattern.test(model))?.task ?? 'chat';

function openAiModel(model: Extract<FileModel, { kind: 'openai' }>, context: ModelContext): ModelSettings {
  const url = model.baseUrl ?? envValue(context.env, 'OPENAI_BASE_URL') ?? openAiBaseUrl;
  const baseUrl = normalizeBaseUrl(url, model.baseUrl === undefined ? 'OPENAI_BASE_URL' : `${context.origin}.baseUrl`);
  // A model of the same name elsewhere may cost something else.
  const known = baseUrl === openAiBaseUrl ? knownModel(model.model) : undefined;
  const price = priceOf(model) ?? known?.price;
  const contextTokens = model.contextTokens ?? known?.contextTokens;
  return {
    kind: 'openai',
    model: model.model,
    task: model.task ?? taskOf(model.model),
    baseUrl,
    apiKeyEnv: model.apiKeyEnv ?? 'OPENAI_API_KEY',
    timeoutMs: model.timeoutMs ?? endpointTimeoutMs,
    omit: model.omit ?? [],
    jsonSchema: model.jsonSchema ?? true,
    modalities: model.modalities ?? known?.modalities ?? ['text'],
    ...(price === undefined ? {} : { price }),
    ...(contextTokens === undefined ? {} : { contextTokens }),
    limits: limitsOf(model, endpointConcurrency),
  };
}

function limitsOf(model: FileModel, concurrency: number): ModelSettings['limits'] {
  const { rpm, tpm, retries } = model.limits ?? {};
  return {
    concurrency: model.limits?.concurrency ?? concurrency,
    ...(rpm === undefined ? {} : { rpm }),
    ...(tpm === undefined ? {} : { tpm }),
    ...(retries === undefined ? {} : { retries }),
  };
}

function localCommon(model: FileModel) {
  return {
    modalities: model.modalities ?? (['text'] as const),
    price: priceOf(model) ?? localPrice,
    limits: limitsOf(model, 1),
    ...(model.contextTokens === undefined ? {} : { contextTokens: model.contextTokens }),
  };
}

/** Fills in what the file leaves open. Throws `FermataError` `BadConfig`. */
export function completeModel(model: FileModel, context: ModelContext): ModelSettings {
  if (model.kind === 'openai') return openAiModel(model, context);
  if (model.kind === 'llama') {
    const threads = model.threads === undefined ? {} : { threads: model.threads };
    return { ...localCommon(model), kind: 'llama', weights: weightsOf(model.weights, context, 'gguf'), ...threads };
  }
  return {
    ...localCommon(model),
    kind: 'onnx',
    weights: weightsOf(model.weights, context, 'none'),
    executionProviders: model.executionProviders ?? ['cpu'],
  };
}

/** Models that are there without a file: local ones, and `openai` when the environment has a key or a base URL. */
export function builtInModels(env: Environment): Readonly<Record<string, FileModel>> {
  const remote = envValue(env, 'OPENAI_API_KEY') ?? envValue(env, 'OPENAI_BASE_URL');
  return {
    'qwen-0.5b': { kind: 'llama', weights: 'qwen2.5-coder-0.5b' },
    'qwen-1.5b': { kind: 'llama', weights: 'qwen2.5-coder-1.5b' },
    minilm: { kind: 'onnx', weights: 'minilm' },
    ...(remote === undefined
      ? {}
      : { openai: { kind: 'openai', model: envValue(env, 'OPENAI_MODEL') ?? defaultOpenAiModel } }),
  };
}
