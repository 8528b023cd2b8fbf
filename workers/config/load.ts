/** Puts settings together: flag, then environment, then `fermata.yaml`, then default; and remembers which it was. */
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { FermataError } from '../../plans/protocol/errors.js';
import { type ConfigFile, configFileName, findConfigFile, readConfigFile } from './file.js';
import { builtInModels, completeModel, type Environment, envValue } from './models.js';
import { suggestion } from './nearest.js';
import type { ModelSettings, Settings } from './settings.js';
import { ledgerSettings, storeSettings } from './state.js';
import { temporalSettings } from './temporal.js';

/** Values given on the command line or by a program; each wins over environment and file. */
export interface SettingsFlags {
  /** Path of the configuration file itself. */
  readonly config?: string;
  readonly home?: string;
  readonly modelsDir?: string;
  readonly store?: string;
  readonly llm?: string;
  readonly embedder?: string;
  readonly maxCostUsd?: number;
  readonly confirmAboveUsd?: number;
  readonly maxErrorRatio?: number;
  readonly temporalAddress?: string;
  readonly temporalNamespace?: string;
}

/** Where a setting came from; `from` is the flag, the variable, or the file with its line. */
export interface Origin {
  readonly kind: 'flag' | 'env' | 'file' | 'default';
  readonly from?: string;
}

export interface LoadedSettings {
  readonly settings: Settings;
  /** By key path, e.g. `limits.maxCostUsd` or `models.fast`. */
  readonly origins: Readonly<Record<string, Origin>>;
}

export interface LoadOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly flags?: SettingsFlags;
}

/** One setting on its way: what each layer says, the first that says something wins. */
interface Pick<T> {
  readonly flag?: keyof SettingsFlags;
  readonly env?: string;
  readonly file?: T | undefined;
  readonly fallback: T;
  /** Where the fallback comes from, when something other than Fermata itself made it so. */
  readonly fallbackOrigin?: Origin | undefined;
  readonly read: (text: string, origin: string) => T;
}

type Picker = <T>(key: string, pick: Pick<T>) => T;

function picker(options: LoadOptions, file: ConfigFile | undefined, origins: Record<string, Origin>): Picker {
  return (key, { flag, env, file: fromFile, fallback, fallbackOrigin, read }) => {
    const given = flag === undefined ? undefined : options.flags?.[flag];
    if (flag !== undefined && given !== undefined) {
      const name = `--${flag.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
      origins[key] = { kind: 'flag', from: name };
      return read(String(given), name);
    }
    const value = env === undefined ? undefined : envValue(options.env, env);
    if (env !== undefined && value !== undefined) {
      origins[key] = { kind: 'env', from: env };
      return read(value, env);
    }
    if (file !== undefined && fromFile !== undefined) {
      origins[key] = fileOrigin(file, key);
      return fromFile;
    }
    origins[key] = fallbackOrigin ?? { kind: 'default' };
    return fallback;
  };
}

function fileOrigin(file: ConfigFile, key: string): Origin {
  const line = file.lineOf(key.split('.'));
  return { kind: 'file', from: line === undefined ? file.path : `${file.path}:${line}` };
}

function originOfVariable(env: Environment, name: string): Origin | undefined {
  return envValue(env, name) === undefined ? undefined : { kind: 'env', from: name };
}

function readUsd(text: string, origin: string): number {
  const value = Number(text);
  if (text !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new FermataError('BadConfig', `${origin}: ${text} is not an amount in USD`, {
    hint: 'Give a number such as 2.50.',
  });
}

function readRatio(text: string, origin: string): number {
  const value = Number(text);
  if (text !== '' && value >= 0 && value <= 1) return value;
  throw new FermataError('BadConfig', `${origin}: ${text} is not a share between 0 and 1`);
}

const readText = (text: string): string => text;

/**
 * Settings of the project around `cwd`. Reads `fermata.yaml` there or above; looks at nothing outside `env` and that
 * file, except a Temporal profile (`temporal.toml`). Throws `FermataError` `BadConfig` naming key and line.
 *
 * @example const { settings, origins } = await loadSettings({ cwd: process.cwd(), env: process.env });
 */
export async function loadSettings(options: LoadOptions): Promise<LoadedSettings> {
  const { cwd, env, flags } = options;
  const named = flags?.config ?? envValue(env, 'FERMATA_CONFIG');
  const path = named === undefined ? await findConfigFile(cwd) : resolve(cwd, named);
  const file = path === undefined ? undefined : await readConfigFile(path);
  const projectDir = path === undefined ? resolve(cwd) : dirname(path);
  const origins: Record<string, Origin> = {};
  const pick = picker(options, file, origins);
  const fromFile = (text: string | undefined): string | undefined =>
    text === undefined ? undefined : resolve(projectDir, text);
  const fromCwd = (text: string): string => resolve(cwd, text);
  const given = file?.settings;

  const home = pick('home', {
    flag: 'home',
    env: 'FERMATA_HOME',
    file: fromFile(given?.home),
    fallback: join(projectDir, '.fermata'),
    read: fromCwd,
  });
  const cacheHome = envValue(env, 'XDG_CACHE_HOME') ?? join(envValue(env, 'HOME') ?? homedir(), '.cache');
  const modelsDir = pick('modelsDir', {
    flag: 'modelsDir',
    env: 'FERMATA_MODELS_DIR',
    file: fromFile(given?.modelsDir),
    fallback: join(cacheHome, 'fermata', 'models'),
    fallbackOrigin: originOfVariable(env, 'XDG_CACHE_HOME'),
    read: fromCwd,
  });
  const storeText = pick('store', {
    flag: 'store',
    env: 'FERMATA_STORE',
    file: typeof given?.store === 'string' ? given.store : given?.store?.url,
    fallback: undefined,
    read: readText,
  });
  const storeBase = origins['store']?.kind === 'file' ? projectDir : cwd;
  const ledgerText = pick('ledger', {
    env: 'FERMATA_LEDGER',
    file: given?.ledger,
    fallback: undefined,
    read: readText,
  });
  const ledgerBase = origins['ledger']?.kind === 'file' ? projectDir : cwd;
  const { temporal, profile } = await temporalSettings(env, {
    address: pick('temporal.address', {
      flag: 'temporalAddress',
      env: 'TEMPORAL_ADDRESS',
      file: given?.temporal?.address,
      fallback: undefined,
      read: readText,
    }),
    namespace: pick('temporal.namespace', {
      flag: 'temporalNamespace',
      env: 'TEMPORAL_NAMESPACE',
      file: given?.temporal?.namespace,
      fallback: undefined,
      read: readText,
    }),
  });
  for (const key of ['temporal.address', 'temporal.namespace']) {
    if (profile !== undefined && origins[key]?.kind === 'default') origins[key] = { kind: 'file', from: profile };
  }
  const models = modelSettings(options, file, projectDir, origins);
  const maxCostUsd = pick('limits.maxCostUsd', {
    flag: 'maxCostUsd',
    env: 'FERMATA_MAX_COST',
    file: given?.limits?.maxCostUsd,
    fallback: undefined,
    read: readUsd,
  });
  const settings: Settings = {
    projectDir,
    home,
    modelsDir,
    ...(temporal === undefined ? {} : { temporal }),
    store: storeSettings(storeText, {
      base: storeBase,
      home,
      options: typeof given?.store === 'object' ? given.store : {},
    }),
    ledger: ledgerSettings(ledgerText, { base: ledgerBase, home, origin: origins['ledger']?.from ?? 'ledger' }),
    models,
    defaults: {
      llm: defaultModel('llm', { pick, models, inFile: given?.defaults?.llm, origins }),
      embedder: defaultModel('embedder', { pick, models, inFile: given?.defaults?.embedder, origins }),
    },
    limits: {
      ...(maxCostUsd === undefined ? {} : { maxCostUsd }),
      confirmAboveUsd: pick('limits.confirmAboveUsd', {
        flag: 'confirmAboveUsd',
        file: given?.limits?.confirmAboveUsd,
        fallback: 1,
        read: readUsd,
      }),
      maxErrorRatio: pick('limits.maxErrorRatio', {
        flag: 'maxErrorRatio',
        file: given?.limits?.maxErrorRatio,
        fallback: 0.05,
        read: readRatio,
      }),
    },
  };
  return { settings, origins };
}

function modelSettings(
  { env }: LoadOptions,
  file: ConfigFile | undefined,
  projectDir: string,
  origins: Record<string, Origin>,
): Readonly<Record<string, ModelSettings>> {
  const own = file?.settings.models ?? {};
  const models: Record<string, ModelSettings> = {};
  for (const [name, model] of Object.entries({ ...builtInModels(env), ...own })) {
    const key = `models.${name}`;
    const line = file?.lineOf(['models', name]);
    const inFile = Object.hasOwn(own, name);
    const origin = inFile ? `${configFileName}:${line ?? '?'}: ${key}` : key;
    models[name] = completeModel(model, { env, projectDir, origin });
    if (inFile && file !== undefined) origins[key] = fileOrigin(file, key);
    else origins[key] = name === 'openai' ? { kind: 'env', from: openAiVariable(env) } : { kind: 'default' };
  }
  return models;
}

const openAiVariable = (env: Environment): string =>
  envValue(env, 'OPENAI_API_KEY') === undefined ? 'OPENAI_BASE_URL' : 'OPENAI_API_KEY';

/** Whether a model can serve as the default of that role. */
const serves: Readonly<Record<'llm' | 'embedder', (model: ModelSettings) => boolean>> = {
  llm: (model) => model.kind === 'llama' || (model.kind === 'openai' && model.task === 'chat'),
  embedder: (model) => model.kind === 'onnx' || (model.kind === 'openai' && model.task === 'embedding'),
};

interface DefaultChoice {
  readonly pick: Picker;
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly inFile: string | undefined;
  readonly origins: Readonly<Record<string, Origin>>;
}

function defaultModel(role: 'llm' | 'embedder', { pick, models, inFile, origins }: DefaultChoice): string {
  const local = role === 'llm' ? 'qwen-0.5b' : 'minilm';
  const fallback = role === 'llm' && models['openai'] !== undefined && serves.llm(models['openai']) ? 'openai' : local;
  // A model that the environment or the file brought is the default because of it.
  const fallbackOrigin = fallback === local ? undefined : origins[`models.${fallback}`];
  const name = pick(`defaults.${role}`, { flag: role, file: inFile, fallback, fallbackOrigin, read: readText });
  const model = models[name];
  const fitting = Object.keys(models).filter((candidate) => {
    const settings = models[candidate];
    return settings !== undefined && serves[role](settings);
  });
  if (model === undefined) {
    throw new FermataError('UnknownModel', `defaults.${role}: no model is named ${name}${suggestion(name, fitting)}`);
  }
  if (!serves[role](model)) {
    throw new FermataError('BadConfig', `defaults.${role}: the model ${name} cannot serve as ${role}`, {
      hint: `One of these can: ${fitting.join(', ')}.`,
    });
  }
  return name;
}
