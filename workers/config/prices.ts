import type { Modality, Price } from '../../activities/ports.js';

/** What is known about a model of OpenAI's own service. */
interface KnownModel {
  /** USD per million input and output tokens. */
  readonly usd: readonly [input: number, output: number];
  readonly contextTokens: number;
  readonly modalities: readonly Modality[];
}

const text: readonly Modality[] = ['text'];
const textAndImage: readonly Modality[] = ['text', 'image'];

/**
 * List prices of OpenAI's own service, standard tier, without cache and batch discounts. Taken from public tables of the
 * provider's pricing page (developers.openai.com/api/docs/pricing) as quoted between March and June 2026; a price in
 * `fermata.yaml` wins over this table. A model that is not here has no price, which is unknown and never 0.
 */
const knownModels: Readonly<Record<string, KnownModel>> = {
  'gpt-5': { usd: [1.25, 10], contextTokens: 272_000, modalities: textAndImage },
  'gpt-5-mini': { usd: [0.25, 2], contextTokens: 272_000, modalities: textAndImage },
  'gpt-5-nano': { usd: [0.05, 0.4], contextTokens: 272_000, modalities: textAndImage },
  'gpt-5.1': { usd: [1.25, 10], contextTokens: 272_000, modalities: textAndImage },
  'gpt-4.1': { usd: [2, 8], contextTokens: 1_000_000, modalities: textAndImage },
  'gpt-4.1-mini': { usd: [0.4, 1.6], contextTokens: 1_000_000, modalities: textAndImage },
  'gpt-4.1-nano': { usd: [0.1, 0.4], contextTokens: 1_000_000, modalities: textAndImage },
  'gpt-4o': { usd: [2.5, 10], contextTokens: 128_000, modalities: textAndImage },
  'gpt-4o-mini': { usd: [0.15, 0.6], contextTokens: 128_000, modalities: textAndImage },
  o3: { usd: [2, 8], contextTokens: 200_000, modalities: textAndImage },
  'o3-mini': { usd: [1.1, 4.4], contextTokens: 200_000, modalities: text },
  'o4-mini': { usd: [1.1, 4.4], contextTokens: 200_000, modalities: textAndImage },
  'gpt-3.5-turbo': { usd: [0.5, 1.5], contextTokens: 16_385, modalities: text },
  'text-embedding-3-small': { usd: [0.02, 0], contextTokens: 8_191, modalities: text },
  'text-embedding-3-large': { usd: [0.13, 0], contextTokens: 8_191, modalities: text },
  'text-embedding-ada-002': { usd: [0.1, 0], contextTokens: 8_191, modalities: text },
};

/** A dated snapshot costs what its model costs: `gpt-4o-mini-2024-07-18`. */
const snapshotSuffix = /-\d{4}-\d{2}-\d{2}$/;

/** Price, context and modalities of a model of OpenAI's own service; undefined for any other. */
export function knownModel(
  model: string,
): { readonly price: Price; readonly contextTokens: number; readonly modalities: readonly Modality[] } | undefined {
  const known = knownModels[model] ?? knownModels[model.replace(snapshotSuffix, '')];
  if (known === undefined) return undefined;
  const [inputPerMTok, outputPerMTok] = known.usd;
  return {
    price: { unit: 'tokens', inputPerMTok, outputPerMTok },
    contextTokens: known.contextTokens,
    modalities: known.modalities,
  };
}
