import type { JsonValue } from '../protocol/json.js';
import type { PromptPart, PromptRequest } from '../protocol/model.js';

/**
 * What an answer depends on, as one canonical string; its SHA-256 is the ledger's key. Equal requests give equal strings
 * in every release: a change here forgets every paid answer, so change `v` with it, and know why.
 *
 * `identity` is the model's name and version, `replica` 0 for ordinary work and 1, 2 … for deliberate repeats.
 */
export function requestFingerprint(identity: string, request: PromptRequest, replica = 0): string {
  return canonicalJson({
    v: 1,
    model: identity,
    replica,
    system: request.system,
    content: request.content.map(partFingerprint),
    output: request.output,
    maxOutputTokens: request.maxOutputTokens,
    temperature: request.temperature,
    confidence: request.confidence,
    ...(request.seed === undefined ? {} : { seed: request.seed }),
    ...(request.repair === undefined ? {} : { repair: { ...request.repair } }),
  });
}

function partFingerprint(part: PromptPart): JsonValue {
  // the media type is left out: the same bytes under two names are the same picture
  return part.type === 'text' ? { text: part.text } : { [part.type]: part.hash };
}

/** JSON with the keys of every object in code-unit order and no white space. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}
