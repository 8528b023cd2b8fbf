/** What `fermata.yaml` may hold. Unknown keys are errors everywhere. */
import * as z from 'zod';
import { modalities } from '../../activities/ports.js';

const positiveInt = z.int().positive();
const usd = z.number().nonnegative();

const price = z.union([z.strictObject({ inputPerMTok: usd, outputPerMTok: usd }), z.strictObject({ usdPerHour: usd })]);

const limits = z.strictObject({
  concurrency: positiveInt.max(1024).optional(),
  rpm: positiveInt.optional(),
  tpm: positiveInt.optional(),
  retries: z.int().nonnegative().max(20).optional(),
});

const common = {
  modalities: z.array(z.enum(modalities)).min(1).optional(),
  price: price.optional(),
  limits: limits.optional(),
  contextTokens: positiveInt.optional(),
};

const openai = z.strictObject({
  ...common,
  kind: z.literal('openai'),
  model: z.string().min(1),
  task: z.enum(['chat', 'embedding', 'transcription']).optional(),
  baseUrl: z.string().optional(),
  apiKeyEnv: z
    .string()
    .regex(/^[A-Za-z_][A-Za-z0-9_]*$/, 'the name of an environment variable, never the key itself')
    .optional(),
  timeoutMs: positiveInt.optional(),
  omit: z.array(z.string()).optional(),
  jsonSchema: z.boolean().optional(),
});

const llama = z.strictObject({
  ...common,
  kind: z.literal('llama'),
  weights: z.string().min(1),
  threads: positiveInt.optional(),
});

const onnx = z.strictObject({
  ...common,
  kind: z.literal('onnx'),
  weights: z.string().min(1),
  executionProviders: z
    .array(z.enum(['cpu', 'cuda']))
    .min(1)
    .optional(),
});

const store = z.union([
  z.string().min(1),
  z.strictObject({
    url: z.string().min(1),
    endpoint: z.url().optional(),
    region: z.string().min(1).optional(),
    forcePathStyle: z.boolean().optional(),
    cacheDir: z.string().min(1).optional(),
  }),
]);

export const fileSchema = z.strictObject({
  home: z.string().min(1).optional(),
  modelsDir: z.string().min(1).optional(),
  temporal: z.strictObject({ address: z.string().min(1), namespace: z.string().min(1).optional() }).optional(),
  store: store.optional(),
  ledger: z.string().min(1).optional(),
  models: z
    .record(
      z.string().regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'a model name of letters, digits, dot, dash and underscore'),
      z.discriminatedUnion('kind', [openai, llama, onnx]),
    )
    .optional(),
  defaults: z.strictObject({ llm: z.string().optional(), embedder: z.string().optional() }).optional(),
  limits: z
    .strictObject({
      maxCostUsd: usd.optional(),
      confirmAboveUsd: usd.optional(),
      maxErrorRatio: z.number().min(0).max(1).optional(),
    })
    .optional(),
});

export type FileSettings = z.infer<typeof fileSchema>;
export type FileModel = NonNullable<FileSettings['models']>[string];
