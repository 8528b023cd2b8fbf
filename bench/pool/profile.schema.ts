/** Profiles of simulated models: every number in the file stands beside its source. */
import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { modalities } from '../../plans/protocol/model.js';

const sourced = <T extends z.ZodType>(value: T) =>
  z
    .strictObject({ value, source: z.string().min(3) })
    .transform((leaf) => (leaf as { readonly value: z.output<T> }).value);

const share = sourced(z.number().min(0).max(1));
const positive = sourced(z.number().positive());
const amount = sourced(z.number().min(0));

const modelProfileSchema = z.strictObject({
  task: sourced(z.enum(['chat', 'embedding', 'transcription'])),
  modalities: sourced(z.array(z.enum(modalities)).readonly()),
  contextTokens: positive,
  /** Accuracy at difficulty d is `lo + (hi − lo) / (1 + exp((d − mid) / width))`. */
  accuracy: z.strictObject({ hi: share, lo: share, mid: amount, width: positive }),
  /** Added to the difficulty for each doubling of the rows in one prompt. */
  batchDifficulty: amount,
  /**
   * The chance of being right varies around the accuracy as a Beta of this concentration; the model reports it after
   * `logit' = temperature · logit`: 1 is calibrated, above 1 over-confident.
   */
  confidence: z.strictObject({ concentration: positive, temperature: positive }),
  /** Log-normal by median and 95th percentile, in ms, and time a token. */
  latency: z.strictObject({ medianMs: amount, p95Ms: amount, perInputTokenMs: amount, perOutputTokenMs: amount }),
  /** USD per million tokens. */
  price: z.strictObject({ inputPerMTok: amount, outputPerMTok: amount }),
  tokens: z.strictObject({ charsPerToken: positive, perImage: amount, perAudioSecond: amount }),
  limits: z.strictObject({ rpm: positive, tpm: positive, concurrency: positive }),
  /** Share of calls that go wrong so. */
  faults: z.strictObject({ rateLimited: share, serverError: share, hang: share, badJson: share }),
  embedding: z
    .strictObject({
      dimensions: sourced(z.int().min(64).max(384)),
      /** Weight of the class against that of the words, in [0,1]. */
      signal: share,
    })
    .optional(),
  transcription: z.strictObject({ wordErrorRate: share }).optional(),
});

const profilesSchema = z.strictObject({
  about: z.string(),
  models: z.record(z.string(), modelProfileSchema),
});

/** One simulated model, without the sources. */
export type ModelProfile = z.output<typeof modelProfileSchema>;
export type Profiles = Readonly<Record<string, ModelProfile>>;
export type FaultRates = ModelProfile['faults'];

/** Checks a profiles file and takes the sources off. Throws `ZodError` for a value without its source. */
export function readProfiles(json: string): Profiles {
  return profilesSchema.parse(JSON.parse(json)).models;
}

/** The fixed profiles, `bench/pool/profiles.json`; found from the sources as from `dist`. */
export function defaultProfiles(): Profiles {
  for (const place of ['./profiles.json', '../../../bench/pool/profiles.json']) {
    try {
      return readProfiles(readFileSync(new URL(place, import.meta.url), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    }
  }
  throw new Error('bench/pool/profiles.json is missing');
}

/** The profiles with other rates of faults: all models, or one. */
export function withFaults(profiles: Profiles, faults: Partial<FaultRates>, model?: string): Profiles {
  return Object.fromEntries(
    Object.entries(profiles).map(([name, profile]) => [
      name,
      model === undefined || model === name ? { ...profile, faults: { ...profile.faults, ...faults } } : profile,
    ]),
  );
}
