import type { PromptPart, PromptRequest } from '../protocol/model.js';
import type { OutputType } from './output.js';

/**
 * What an answer depends on, as one canonical string; its SHA-256 is the ledger's key. Equal requests give equal strings
 * in every release: a change here forgets every paid answer, so change `v` with it, and know why.
 *
 * `identity` is the model's name and version, `replica` 0 for ordinary work and 1, 2 … for deliberate repeats.
 */
export function requestFingerprint(identity: string, request: PromptRequest, replica = 0): string {
  const { confidence, content, maxOutputTokens, output, repair, seed, system, temperature } = request;
  // By hand and in code-unit order of the keys: every row of every input is keyed, and the general way costs four times as much.
  return (
    `{"confidence":${confidence},"content":[${content.map(partFingerprint).join(',')}]` +
    `,"maxOutputTokens":${maxOutputTokens},"model":${JSON.stringify(identity)},"output":${outputJson(output)}` +
    (repair === undefined ? '' : `,"repair":${canonicalJson({ ...repair })}`) +
    `,"replica":${replica}${seed === undefined ? '' : `,"seed":${seed}`}` +
    `,"system":${JSON.stringify(system)},"temperature":${temperature},"v":1}`
  );
}

/** Rows of one call share their output type. */
const outputs = new WeakMap<OutputType, string>();

function outputJson(output: OutputType): string {
  let json = outputs.get(output);
  if (json === undefined) {
    json = canonicalJson(output);
    outputs.set(output, json);
  }
  return json;
}

function partFingerprint(part: PromptPart): string {
  // the media type is left out: the same bytes under two names are the same picture
  return part.type === 'text'
    ? `{"text":${JSON.stringify(part.text)}}`
    : `{"${part.type}":${JSON.stringify(part.hash)}}`;
}

/** JSON with the keys of every object in code-unit order and no white space. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(',')}}`;
}
