/** Bodies of requests to an OpenAI-compatible endpoint. */
import type { ContentPart, ModelRequest } from '../../../../activities/ports.js';
import { jsonSchema } from '../../../../plans/operators/json-schema.js';
import type { OutputType } from '../../../../plans/operators/output.js';
import type { SettingsOf } from '../backend.js';

type Body = Record<string, unknown>;

/** A partition asks with one output object for all its rows, so the format is built once for them. */
const formats = new WeakMap<OutputType, Body>();

function responseFormat(output: OutputType): Body {
  const known = formats.get(output);
  if (known !== undefined) return known;
  const format = {
    type: 'json_schema',
    json_schema: { name: 'answer', strict: true, schema: jsonSchema(output) },
  };
  formats.set(output, format);
  return format;
}

const base64 = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('base64');

/** Formats that the API names otherwise than their media type. */
const audioFormats: Readonly<Record<string, string>> = { mpeg: 'mp3', 'x-wav': 'wav', wave: 'wav', 'vnd.wave': 'wav' };

function contentPart(part: ContentPart): Body {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'image') {
    return { type: 'image_url', image_url: { url: `data:${part.mediaType};base64,${base64(part.bytes)}` } };
  }
  const subtype = part.mediaType.split('/')[1] ?? part.mediaType;
  return { type: 'input_audio', input_audio: { data: base64(part.bytes), format: audioFormats[subtype] ?? subtype } };
}

/** Plain text goes as a string: small servers know no content parts. */
function userContent(content: readonly ContentPart[]): unknown {
  const [only] = content;
  if (content.length === 1 && only?.type === 'text') return only.text;
  return content.map(contentPart);
}

/** Body of a chat completion. */
export function chatBody(settings: SettingsOf<'openai'>, request: ModelRequest): Body {
  const { repair, output } = request;
  const messages: Body[] = [
    { role: 'system', content: request.system },
    { role: 'user', content: userContent(request.content) },
  ];
  if (repair !== undefined) {
    messages.push({ role: 'assistant', content: repair.reply }, { role: 'user', content: repair.problem });
  }
  const body: Body = {
    model: settings.model,
    messages,
    temperature: request.temperature,
    max_tokens: request.maxOutputTokens,
  };
  if (settings.jsonSchema && output.kind !== 'string') body['response_format'] = responseFormat(output);
  if (request.seed !== undefined) body['seed'] = request.seed;
  if (request.confidence) body['logprobs'] = true;
  return body;
}
