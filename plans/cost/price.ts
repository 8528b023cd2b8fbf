import type { PromptRequest, ModelRequest, Price, Usage } from '../protocol/model.js';
import { jsonSchema } from '../operators/json-schema.js';
import type { OutputType } from '../operators/output.js';
import { estimateTokens, maxTokens } from './tokens.js';

const perMillion = 1e6;
const msPerHour = 3_600_000;

/**
 * What one call cost, in USD; undefined when the price is not known, or is by the token and the usage is not known.
 * `ms` is how long the model was held by the call; local compute is priced by it.
 */
export function priceOf(usage: Usage | undefined, price: Price | undefined, ms: number): number | undefined {
  if (price === undefined) return undefined;
  if (price.unit === 'hour') return (price.usdPerHour * ms) / msPerHour;
  if (usage === undefined) return undefined;
  return (usage.inputTokens * price.inputPerMTok + usage.outputTokens * price.outputPerMTok) / perMillion;
}

/** A chat template's own tokens: roles and turns of two messages, at most of four when a reply is repaired. */
const templateTokens = { expected: 12, most: 40 } as const;

/** Tokens of an image or clip, by convention: endpoints count by size and detail, which a hash does not show. */
const mediaTokens = { image: { expected: 1000, most: 4000 }, audio: { expected: 500, most: 4000 } } as const;

/** About how many tokens the prompt of a request has. */
export function promptTokens(request: PromptRequest | ModelRequest): number {
  return countPrompt(request, estimateTokens, 'expected');
}

/**
 * What to set aside before a call: no text has more tokens than bytes, and no answer more than it is allowed. Images and
 * clips count by convention. An unknown price sets aside no money, only tokens: the spend then counts the call as unpriced.
 *
 * `maxMs` bounds the time of a call to compute that is priced by the hour; default one minute.
 */
export function worstCase(
  request: PromptRequest | ModelRequest,
  price: Price | undefined,
  maxMs = 60_000,
): { readonly usd: number; readonly tokens: number } {
  const inputTokens = countPrompt(request, maxTokens, 'most');
  const usage = { inputTokens, outputTokens: request.maxOutputTokens };
  return { usd: priceOf(usage, price, maxMs) ?? 0, tokens: inputTokens + request.maxOutputTokens };
}

type Count = (text: string) => number;

function countPrompt(request: PromptRequest | ModelRequest, count: Count, media: 'expected' | 'most'): number {
  const { repair } = request;
  let sum = templateTokens[media] + countSystem(request.system, count) + countSchema(request.output, count);
  if (repair !== undefined) sum += count(repair.reply) + count(repair.problem);
  for (const part of request.content) sum += part.type === 'text' ? count(part.text) : mediaTokens[part.type][media];
  return sum;
}

/** Rows of one call share their instructions. */
const systemCounts = new Map<Count, { readonly system: string; readonly tokens: number }>();

function countSystem(system: string, count: Count): number {
  const last = systemCounts.get(count);
  if (last?.system === system) return last.tokens;
  const tokens = count(system);
  systemCounts.set(count, { system, tokens });
  return tokens;
}

/** Rows of one call share their output type, whose schema is counted once. */
const schemaCounts = new WeakMap<OutputType, Map<Count, number>>();

/** Endpoints put the schema into the prompt. */
function countSchema(output: OutputType, count: Count): number {
  if (output.kind === 'string') return 0;
  let counts = schemaCounts.get(output);
  if (counts === undefined) {
    counts = new Map();
    schemaCounts.set(output, counts);
  }
  let tokens = counts.get(count);
  if (tokens === undefined) {
    tokens = count(JSON.stringify(jsonSchema(output)));
    counts.set(count, tokens);
  }
  return tokens;
}
