/** Reads a chat completion that came with status 200, and says what is wrong with one that is no answer. */
import type { ModelReply, Usage } from '../../../../activities/ports.js';
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { parseJson } from '../../../../plans/protocol/json.js';
import { answerProbability, type TokenLogprob } from './confidence.js';
import { type Secrets, statusError } from './failures.js';

interface Choice {
  readonly finish_reason?: string | null;
  readonly message?: { readonly content?: unknown; readonly refusal?: string | null } | null;
  readonly logprobs?: { readonly content?: readonly TokenLogprob[] | null } | null;
}

interface Completion {
  readonly choices?: readonly (Choice | null)[] | null;
  readonly usage?: Readonly<Record<string, unknown>> | null;
  readonly error?: unknown;
}

/** The JSON of a reply with status 200. Throws `CallError` `emptyReply`, `notJson`, or what an error in it says. */
export function readJson(body: string, headers: Headers, secrets: Secrets): unknown {
  if (body.trim() === '') throw new CallError('emptyReply', `the reply was empty${requestNote(headers)}`);
  const parsed = parseJson(body);
  if (!parsed.ok || parsed.value === null || typeof parsed.value !== 'object') {
    const absent = /^\s*</.test(body);
    const what = absent ? 'a web page: check baseUrl' : 'not JSON';
    throw new CallError('notJson', `the reply was ${what}${requestNote(headers)}`, { absent });
  }
  const { error } = parsed.value as Completion;
  if (error !== undefined && error !== null) {
    // Some gateways send the upstream's failure with status 200.
    const status = Number((error as { code?: unknown }).code ?? 500);
    throw statusError(status >= 400 && status < 600 ? status : 500, error, headers, secrets);
  }
  return parsed.value;
}

/** Usage as reported; undefined where it is missing, null or no numbers. */
export function readUsage(usage: Completion['usage']): Usage | undefined {
  const inputTokens = usage?.['prompt_tokens'];
  const outputTokens = usage?.['completion_tokens'] ?? 0;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return undefined;
  return { inputTokens, outputTokens };
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return (content as readonly { readonly text?: unknown }[])
    .map((part) => (typeof part.text === 'string' ? part.text : ''))
    .join('');
}

/** The model's words. Throws `CallError` `emptyReply`, `truncated` or `contentFilter`, with the usage that was billed. */
export function readCompletion(body: string, headers: Headers, secrets: Secrets): ModelReply {
  const completion = readJson(body, headers, secrets) as Completion;
  const usage = readUsage(completion.usage);
  const billed = usage === undefined ? {} : { usage };
  const choice = completion.choices?.[0];
  const note = requestNote(headers);
  if (choice === undefined || choice === null) {
    throw new CallError('emptyReply', `the reply held no choices${note}`, billed);
  }
  if (choice.finish_reason === 'content_filter') {
    throw new CallError('contentFilter', `the endpoint's content filter cut the answer${note}`, billed);
  }
  if (choice.finish_reason === 'length') {
    throw new CallError('truncated', `the answer reached the limit of output tokens${note}`, billed);
  }
  const text = contentText(choice.message?.content);
  if (text.trim() === '') {
    const refused = typeof choice.message?.refusal === 'string' && choice.message.refusal !== '';
    throw refused
      ? new CallError('contentFilter', `the model refused to answer${note}`, billed)
      : new CallError('emptyReply', `the reply held no content${note}`, billed);
  }
  const confidence = answerProbability(text, choice.logprobs?.content ?? []);
  return { text, ...billed, ...(confidence === undefined ? {} : { confidence }) };
}

const requestNote = (headers: Headers): string => {
  const id = headers.get('x-request-id');
  return id === null ? '' : ` (request ${id})`;
};

interface EmbeddingList {
  readonly data?: readonly { readonly index?: number; readonly embedding?: unknown }[] | null;
  readonly usage?: Readonly<Record<string, unknown>> | null;
}

function vectorOf(embedding: unknown): Float32Array {
  if (typeof embedding === 'string') {
    const bytes = Uint8Array.from(Buffer.from(embedding, 'base64'));
    return new Float32Array(bytes.buffer, 0, Math.floor(bytes.byteLength / 4));
  }
  return Float32Array.from(Array.isArray(embedding) ? (embedding as readonly number[]) : []);
}

/** `count` vectors of unit length, in the order of the texts. Throws `CallError`. */
export function readEmbeddings(body: string, headers: Headers, secrets: Secrets, count: number) {
  const list = readJson(body, headers, secrets) as EmbeddingList;
  const vectors: (Float32Array | undefined)[] = Array.from({ length: count });
  for (const [at, item] of (list.data ?? []).entries()) vectors[item.index ?? at] = vectorOf(item.embedding);
  const whole = vectors.slice(0, count).map((vector) => {
    const length = vector === undefined ? 0 : Math.hypot(...vector);
    if (vector === undefined || !Number.isFinite(length) || length === 0) {
      throw new CallError('emptyReply', `the reply lacks vectors${requestNote(headers)}`);
    }
    return vector.map((x) => x / length);
  });
  return { vectors: whole, usage: readUsage(list.usage) };
}
