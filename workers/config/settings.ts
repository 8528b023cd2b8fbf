import type { Limits, Modality, Price } from '../../activities/ports.js';

/** Settings of a project after flags, environment, `fermata.yaml` and defaults have been put together (in that precedence). */
export interface Settings {
  /** Folder that holds `fermata.yaml`, or the current one. */
  readonly projectDir: string;
  /** `<projectDir>/.fermata`, or `FERMATA_HOME`: state of the embedded stack. */
  readonly home: string;
  /** Where model weights are kept: `FERMATA_MODELS_DIR`, else `$XDG_CACHE_HOME/fermata/models`. */
  readonly modelsDir: string;
  /** Absent: the embedded server. Present: the user's own cluster (`TEMPORAL_ADDRESS` or a `temporal.toml` profile). */
  readonly temporal?: { readonly address: string; readonly namespace: string };
  readonly store: StoreSettings;
  readonly ledger: { readonly kind: 'lmdb'; readonly dir: string };
  readonly models: Readonly<Record<string, ModelSettings>>;
  readonly defaults: { readonly llm: string; readonly embedder: string };
  readonly limits: {
    readonly maxCostUsd?: number;
    /** Expected USD above which a person is asked and a script needs `--yes`. */
    readonly confirmAboveUsd: number;
    readonly maxErrorRatio: number;
  };
}

export type StoreSettings =
  | { readonly kind: 'local'; readonly dir: string }
  | {
      readonly kind: 's3';
      readonly bucket: string;
      readonly prefix: string;
      readonly endpoint?: string;
      readonly region?: string;
      readonly forcePathStyle: boolean;
      /** Where downloaded objects are kept for readers that need files. */
      readonly cacheDir: string;
    };

interface CommonModel {
  readonly modalities: readonly Modality[];
  readonly price?: Price;
  readonly limits: Limits;
  readonly contextTokens?: number;
}

export type ModelSettings =
  | (CommonModel & {
      readonly kind: 'openai';
      /** Model id at the endpoint. */
      readonly model: string;
      readonly task: 'chat' | 'embedding' | 'transcription';
      readonly baseUrl: string;
      /** Name of the environment variable that holds the key; the key itself is never part of settings. */
      readonly apiKeyEnv: string;
      readonly timeoutMs: number;
      /** Request fields that this model refuses, e.g. `temperature`. */
      readonly omit: readonly string[];
      /** Whether the endpoint takes `response_format: json_schema`; when it refuses once, it is left out from then on. */
      readonly jsonSchema: boolean;
    })
  | (CommonModel & {
      readonly kind: 'llama' /** Manifest name or path of a GGUF file. */;
      readonly weights: string;
      readonly threads?: number;
    })
  | (CommonModel & {
      readonly kind: 'onnx';
      /** Manifest name of the weights. */
      readonly weights: string;
      readonly executionProviders: readonly ('cpu' | 'cuda')[];
    });
