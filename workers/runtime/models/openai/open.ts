/** Models behind an OpenAI-compatible endpoint, through the `openai` client; retries and pacing are the caller's. */
import { APIConnectionTimeoutError, OpenAI } from 'openai';
import type { Embedder, LanguageModel, Model, ModelRequest, Usage } from '../../../../activities/ports.js';
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { openAiBaseUrl } from '../../../config/base-url.js';
import { type BackendDeps, commonParts, type OpenedModel, type SettingsOf } from '../backend.js';
import { onAbort } from '../abort.js';
import { createHttpFetch, WholeResponse } from '../http-fetch.js';
import { chatBody } from './body.js';
import { complaintOf, httpFailure, HttpFailure, type Secrets, thrownError } from './failures.js';
import { createQuirks } from './quirks.js';
import { readCompletion, readEmbeddings } from './reply.js';
import { encodeForm, holdsFile, transcriber } from './transcription.js';

type Settings = SettingsOf<'openai'>;
type Body = Record<string, unknown>;
/** Posts fields as JSON, or as a form where one of them is a file. Throws `CallError`. */
export type Post = (
  path: string,
  body: Body,
  secrets: Secrets,
  signal: AbortSignal,
) => Promise<{ text: string; headers: Headers }>;

/** Statuses with which endpoints refuse a field that they do not know. */
const refusals = new Set([400, 422]);
/** A body has fewer fields that may be refused than this. */
const maxLessons = 8;
/** Texts of one embeddings request. */
const embedBatch = 256;

/** Opens a model of kind `openai`. No request is made here. */
export function openOpenAi(name: string, settings: Settings, deps: BackendDeps): Promise<OpenedModel> {
  const http = createHttpFetch();
  const post = createPost(settings, deps, deps.fetch ?? http.fetch);
  const key = (): string | undefined => keyOf(settings, deps);
  const host = settings.baseUrl === openAiBaseUrl ? '' : `${settings.baseUrl.replace(/^https?:\/\//, '')}/`;
  const model: Model = {
    ...commonParts(name, settings),
    endpoint: settings.baseUrl,
    identity: `openai:${host}${settings.model}`,
    ...functionsOf[settings.task](settings, post, key),
  };
  return Promise.resolve({
    model,
    close: () => {
      http.close();
      return Promise.resolve();
    },
  });
}

const functionsOf: Readonly<
  Record<Settings['task'], (settings: Settings, post: Post, key: () => string | undefined) => Partial<Model>>
> = {
  chat: (settings, post, key) => ({ language: languageModel(settings, post, key) }),
  embedding: (settings, post, key) => ({ embedder: embedder(settings, post, key) }),
  transcription: (settings, post, key) => ({
    modalities: ['audio'],
    transcriber: transcriber(settings.model, post, key),
  }),
};

function keyOf(settings: Settings, deps: BackendDeps): string | undefined {
  const key = deps.env[settings.apiKeyEnv]?.trim();
  return key === '' ? undefined : key;
}

function createPost(settings: Settings, deps: BackendDeps, send: typeof fetch): Post {
  const own = settings.baseUrl === openAiBaseUrl;
  const client = new OpenAI({
    baseURL: settings.baseUrl,
    // The client wants some key; the real one is put in at the time of each call.
    apiKey: 'unset',
    adminAPIKey: null,
    organization: own ? (deps.env['OPENAI_ORG_ID'] ?? null) : null,
    project: own ? (deps.env['OPENAI_PROJECT_ID'] ?? null) : null,
    maxRetries: 0,
    timeout: settings.timeoutMs,
    logLevel: 'off',
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers);
      const key = keyOf(settings, deps);
      if (key === undefined) headers.delete('authorization');
      else headers.set('authorization', `Bearer ${key}`);
      const response = await send(input, { ...init, headers });
      // The client keeps only the `error` field of a body; small servers say what is wrong elsewhere.
      const text = await response.text();
      if (!response.ok) throw new HttpFailure(response.status, response.headers, text);
      // Read here, the body is within the client's time limit, too.
      return new WholeResponse(text, response.status, response.headers);
    },
  });
  const quirks = createQuirks(settings.omit);

  async function once(path: string, body: Body, signal: AbortSignal): Promise<{ text: string; headers: Headers }> {
    const sent = holdsFile(body) ? await encodeForm(body) : { body };
    const response = await client.post(path, { ...sent, signal }).asResponse();
    return { text: await response.text(), headers: response.headers };
  }

  return async (path, body, secrets, signal) => {
    signal.throwIfAborted();
    // The client leaves its listeners on a signal that serves many calls.
    const control = new AbortController();
    const forget = onAbort(signal, () => control.abort());
    try {
      for (let lesson = 0; ; lesson++) {
        const sent = quirks.apply(body);
        try {
          return await once(path, sent, control.signal);
        } catch (error) {
          const complaint = complaintAbout(error);
          if (complaint === undefined || lesson >= maxLessons || !quirks.learn(sent, complaint)) throw error;
        }
      }
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof APIConnectionTimeoutError) {
        throw new CallError('timeout', `no answer within ${settings.timeoutMs / 1000} s`);
      }
      throw thrownError(error, secrets);
    } finally {
      forget();
    }
  };
}

function complaintAbout(error: unknown): ReturnType<typeof complaintOf> | undefined {
  const failure = httpFailure(error);
  return failure !== undefined && refusals.has(failure.status) ? complaintOf(failure.body) : undefined;
}

function languageModel(settings: Settings, post: Post, key: () => string | undefined): LanguageModel {
  return {
    async complete(request: ModelRequest, signal: AbortSignal) {
      const prompt = request.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
      const secrets = { key: key(), prompt: [...prompt, request.system] };
      const { text, headers } = await post('/chat/completions', chatBody(settings, request), secrets, signal);
      return readCompletion(text, headers, secrets);
    },
  };
}

function embedder(settings: Settings, post: Post, key: () => string | undefined): Embedder {
  let dimensions = 0;
  return {
    /** 0 until the first reply has told it. */
    get dimensions() {
      return dimensions;
    },
    async embed(texts, signal) {
      const vectors: Float32Array[] = [];
      let usage: Usage | undefined = { inputTokens: 0, outputTokens: 0 };
      for (let at = 0; at < texts.length; at += embedBatch) {
        const input = texts.slice(at, at + embedBatch);
        const secrets = { key: key(), prompt: input };
        const body = { model: settings.model, input, encoding_format: 'base64' };
        const { text, headers } = await post('/embeddings', body, secrets, signal);
        const read = readEmbeddings(text, headers, secrets, input.length);
        vectors.push(...read.vectors);
        usage = usage && read.usage && { inputTokens: usage.inputTokens + read.usage.inputTokens, outputTokens: 0 };
      }
      dimensions = vectors[0]?.length ?? dimensions;
      return { vectors, ...(usage === undefined ? {} : { usage }) };
    },
  };
}
