/**
 * A fake OpenAI-compatible server for tests and benchmarks: chat completions, embeddings and transcriptions, with faults on demand. It
 * stands for the endpoint only; nothing of the product runs in it.
 *
 * @example
 * const endpoint = await startEndpoint({ latencyMs: 50, answer: (request) => `{"answer": ${request.prompt.includes('fire')}}` });
 * // … use endpoint.baseUrl (ends in /v1) …
 * await endpoint.close();
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** What goes wrong with a call. `429` and `500` may carry Retry-After, see {@link FaultRule}. */
export const faultKinds = [
  '500',
  '501',
  '503',
  '429',
  '408',
  '409',
  '401',
  '403',
  '404',
  '400',
  'context',
  'hang',
  'cut',
  'cutBody',
  'html',
  'emptyBody',
  'noChoices',
  'nullContent',
  'emptyContent',
  'badJson',
  'garbage',
  'length',
  'contentFilter',
  'refusal',
  'noUsage',
  'nullUsage',
] as const;
export type FaultKind = (typeof faultKinds)[number];

/** Strikes a call when one of `calls`, `every` or `ratio` says so, or always when none is given. Calls count from 1. */
export interface FaultRule {
  readonly kind: FaultKind;
  readonly calls?: readonly number[];
  /** Every nth call: n, 2n, 3n … */
  readonly every?: number;
  /** Share of calls in [0,1]; which ones is decided by a hash of the call's number. */
  readonly ratio?: number;
  /** Response headers to add, e.g. `{ 'retry-after': '2' }`. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** A chat request as it came in. */
export interface ChatCall {
  /** Number of the call, from 1, chat and embeddings together. */
  readonly call: number;
  /** Text of the system message, or empty. */
  readonly system: string;
  /** Text parts of the last user message, joined. */
  readonly prompt: string;
  /** The whole body as the client sent it. */
  readonly body: Readonly<Record<string, unknown>>;
  readonly headers: IncomingMessage['headers'];
}

export interface EndpointOptions {
  /** Time between a request's end and its reply, in ms; default 0. */
  readonly latencyMs?: number;
  /** Content of the reply; default `{"answer": true}`. */
  readonly answer?: (request: ChatCall) => string;
  /** First rule that strikes wins. */
  readonly faults?: readonly FaultRule[];
  /** Body fields (or `image`, `audio` for content parts) that are refused with a 400 which names them. */
  readonly refuse?: readonly string[];
  /** Log-probability of every token of the answer, when the client asks for logprobs; default -0.1. */
  readonly logprob?: number;
  /** Length of embeddings; default 8. */
  readonly dimensions?: number;
  /** An embeddings request with such a text is refused as too long. */
  readonly tooLong?: RegExp;
  /** Transcript of a clip, from the fields of the form as one text; default `hello`. */
  readonly transcript?: (form: string) => string;
  /** When set, any other key is answered with 401. */
  readonly apiKey?: string;
}

export interface EndpointCounts {
  /** Requests that arrived in full. */
  calls: number;
  chat: number;
  embeddings: number;
  /** Texts of all embeddings requests that were answered. */
  embedded: number;
  transcriptions: number;
  /** Requests that a fault struck. */
  faults: number;
  inFlight: number;
  maxInFlight: number;
  /** Connections that were opened. */
  connections: number;
  /** Distinct chat bodies seen. */
  readonly bodies: Map<string, number>;
}

export interface Endpoint {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  readonly port: number;
  readonly counts: EndpointCounts;
  /** Every chat request in order; grows without bound, so keep runs small or ignore it. */
  readonly requests: ChatCall[];
  /** Replaces the rules; the count of calls goes on. */
  setFaults(rules: readonly FaultRule[]): void;
  close(): Promise<void>;
}

interface Message {
  readonly role: string;
  readonly content: string | readonly { readonly type: string; readonly text?: string }[];
}

function textOf(content: Message['content'] | undefined): string {
  if (content === undefined || typeof content === 'string') return content ?? '';
  return content.flatMap((part) => (part.text === undefined ? [] : [part.text])).join('\n');
}

/** Same call, same verdict: an integer hash spread over [0,1). */
function spread(call: number): number {
  let x = Math.imul(call ^ (call >>> 16), 0x45d9f3b);
  x = Math.imul(x ^ (x >>> 16), 0x45d9f3b);
  return ((x ^ (x >>> 16)) >>> 0) / 2 ** 32;
}

function strikes(rule: FaultRule, call: number): boolean {
  if (rule.calls !== undefined) return rule.calls.includes(call);
  if (rule.every !== undefined) return call % rule.every === 0;
  return rule.ratio === undefined || spread(call) < rule.ratio;
}

const statusFaults: Partial<Record<FaultKind, { status: number; code: string; message: string }>> = {
  '500': { status: 500, code: 'server_error', message: 'The server had an error' },
  '501': { status: 501, code: 'not_implemented', message: 'No such function' },
  '503': { status: 503, code: 'overloaded', message: 'The engine is overloaded' },
  '429': { status: 429, code: 'rate_limit_exceeded', message: 'Rate limit reached' },
  '408': { status: 408, code: 'timeout', message: 'Request timed out' },
  '409': { status: 409, code: 'conflict', message: 'Conflict' },
  '401': { status: 401, code: 'invalid_api_key', message: 'Incorrect API key provided: sk-123' },
  '403': { status: 403, code: 'forbidden', message: 'Not allowed' },
  '404': { status: 404, code: 'model_not_found', message: 'The model does not exist' },
  '400': { status: 400, code: 'invalid_request_error', message: 'Invalid request' },
  context: {
    status: 400,
    code: 'context_length_exceeded',
    message: "This model's maximum context length is 8192 tokens",
  },
};

interface Choice {
  content: string | null;
  finish: string;
  refusal?: string;
}

const choiceFaults: Partial<Record<FaultKind, (choice: Choice) => Choice>> = {
  nullContent: (choice) => ({ ...choice, content: null }),
  emptyContent: (choice) => ({ ...choice, content: '' }),
  garbage: (choice) => ({ ...choice, content: 'lorem }{ ipsum' }),
  length: (choice) => ({ content: (choice.content ?? '').slice(0, 5), finish: 'length' }),
  contentFilter: () => ({ content: null, finish: 'content_filter' }),
  refusal: (choice) => ({ ...choice, content: null, refusal: 'I cannot help with that' }),
};

function send(response: ServerResponse, status: number, body: string, headers: Record<string, string> = {}): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-request-id': 'req_test',
    ...headers,
  });
  response.end(body);
}

function errorBody(message: string, code: string, param: string | null = null): string {
  return JSON.stringify({ error: { message, type: 'invalid_request_error', param, code } });
}

const tokensOf = (text: string): number => Math.ceil(text.length / 4);

function logprobs(text: string, logprob: number): unknown {
  const tokens = text.match(/\w+|\W/g) ?? [];
  return { content: tokens.map((token) => ({ token, logprob, bytes: null, top_logprobs: [] })) };
}

function chatReply(call: ChatCall, text: string, kind: FaultKind | undefined, logprob: number): string {
  const plain: Choice = { content: text, finish: 'stop' };
  const choice = (kind === undefined ? undefined : choiceFaults[kind])?.(plain) ?? plain;
  const usage = {
    prompt_tokens: tokensOf(call.system) + tokensOf(call.prompt),
    completion_tokens: tokensOf(choice.content ?? ''),
    total_tokens: tokensOf(call.system) + tokensOf(call.prompt) + tokensOf(choice.content ?? ''),
  };
  return JSON.stringify({
    id: `chatcmpl-${call.call}`,
    object: 'chat.completion',
    created: 0,
    model: call.body['model'],
    choices:
      kind === 'noChoices'
        ? []
        : [
            {
              index: 0,
              message: { role: 'assistant', content: choice.content, refusal: choice.refusal ?? null },
              finish_reason: choice.finish,
              logprobs: call.body['logprobs'] === true ? logprobs(choice.content ?? '', logprob) : null,
            },
          ],
    ...(kind === 'noUsage' ? {} : { usage: kind === 'nullUsage' ? null : usage }),
  });
}

function embeddingReply(body: Readonly<Record<string, unknown>>, dimensions: number): string {
  const input = body['input'];
  const texts = (Array.isArray(input) ? input : [input]) as string[];
  const vectors = texts.map((text) => {
    const vector = Array.from({ length: dimensions }, (_, i) => {
      let sum = i + 1;
      for (let j = 0; j < text.length; j++) sum = Math.imul(sum, 31) + text.charCodeAt(j);
      return ((sum >>> 0) / 2 ** 32) * 2 - 1;
    });
    const length = Math.hypot(...vector);
    return vector.map((x) => x / length);
  });
  const encoded = (vector: number[]): unknown =>
    body['encoding_format'] === 'base64' ? Buffer.from(new Float32Array(vector).buffer).toString('base64') : vector;
  return JSON.stringify({
    object: 'list',
    data: vectors.map((vector, index) => ({ object: 'embedding', index, embedding: encoded(vector) })),
    model: body['model'],
    usage: { prompt_tokens: texts.reduce((sum, text) => sum + tokensOf(text), 0), total_tokens: 0 },
  });
}

function refused(body: Readonly<Record<string, unknown>>, fields: readonly string[]): string | undefined {
  for (const field of fields) {
    if (field in body) return field;
    if (
      JSON.stringify(body['messages'] ?? '').includes(`"type":"${field === 'image' ? 'image_url' : 'input_audio'}"`)
    ) {
      if (field === 'image' || field === 'audio') return field;
    }
  }
  return undefined;
}

/** Starts the fake on a free port of the loopback. */
export async function startEndpoint(options: EndpointOptions = {}): Promise<Endpoint> {
  let faults = options.faults ?? [];
  const counts: EndpointCounts = {
    calls: 0,
    chat: 0,
    embeddings: 0,
    embedded: 0,
    transcriptions: 0,
    faults: 0,
    inFlight: 0,
    maxInFlight: 0,
    connections: 0,
    bodies: new Map(),
  };
  const requests: ChatCall[] = [];
  const sockets = new Set<Socket>();

  const reply = (request: IncomingMessage, response: ServerResponse, raw: string, call: number): void => {
    const rule = faults.find((candidate) => strikes(candidate, call));
    if (rule !== undefined) counts.faults++;
    if (options.apiKey !== undefined && request.headers.authorization !== `Bearer ${options.apiKey}`) {
      send(response, 401, errorBody('Incorrect API key provided', 'invalid_api_key'));
      return;
    }
    const headers = { ...rule?.headers };
    const failure = rule === undefined ? undefined : statusFaults[rule.kind];
    if (failure !== undefined) {
      send(response, failure.status, errorBody(failure.message, failure.code), headers);
      return;
    }
    if (request.url?.endsWith('/audio/transcriptions') === true) {
      counts.transcriptions++;
      deliver(response, rule?.kind, JSON.stringify({ text: options.transcript?.(raw) ?? 'hello' }), headers);
      return;
    }
    const body = JSON.parse(raw) as Record<string, unknown>;
    const field = refused(body, options.refuse ?? []);
    if (field !== undefined) {
      const message = `Unsupported parameter: '${field}' is not supported with this model.`;
      send(response, 400, errorBody(message, 'unsupported_parameter', field));
      return;
    }
    const chat = request.url?.endsWith('/chat/completions') === true;
    if (!chat && request.url?.endsWith('/embeddings') !== true) {
      send(response, 404, '404 page not found');
      return;
    }
    const inputs = chat ? [] : ([body['input']].flat() as string[]);
    if (!chat) counts.embeddings++;
    if (inputs.some((input) => options.tooLong?.test(input) === true)) {
      send(response, 400, errorBody("This model's maximum context length is 8192 tokens", 'context_length_exceeded'));
      return;
    }
    counts.embedded += inputs.length;
    const text = chat ? chatText(request, body, raw, call, rule?.kind) : embeddingReply(body, options.dimensions ?? 8);
    deliver(response, rule?.kind, text, headers);
  };

  const chatText = (
    request: IncomingMessage,
    body: Record<string, unknown>,
    raw: string,
    call: number,
    kind: FaultKind | undefined,
  ): string => {
    counts.chat++;
    counts.bodies.set(raw, (counts.bodies.get(raw) ?? 0) + 1);
    const messages = body['messages'] as readonly Message[];
    const chatCall: ChatCall = {
      call,
      system: textOf(messages.find((message) => message.role === 'system')?.content),
      prompt: textOf(messages.findLast((message) => message.role === 'user')?.content),
      body,
      headers: request.headers,
    };
    requests.push(chatCall);
    return chatReply(chatCall, options.answer?.(chatCall) ?? '{"answer": true}', kind, options.logprob ?? -0.1);
  };

  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const call = ++counts.calls;
      counts.inFlight++;
      counts.maxInFlight = Math.max(counts.maxInFlight, counts.inFlight);
      response.once('close', () => counts.inFlight--);
      const raw = Buffer.concat(chunks).toString();
      if (options.latencyMs === undefined) reply(request, response, raw, call);
      else setTimeout(() => reply(request, response, raw, call), options.latencyMs);
    });
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    counts.connections++;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    port,
    counts,
    requests,
    setFaults(rules) {
      faults = rules;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function deliver(response: ServerResponse, kind: FaultKind | undefined, text: string, headers: Record<string, string>) {
  const ways: Partial<Record<FaultKind, () => void>> = {
    hang: () => undefined,
    cut: () => response.socket?.destroy(),
    cutBody: () => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) });
      response.write(text.slice(0, text.length / 2), () => response.socket?.destroy());
    },
    html: () => send(response, 200, '<!doctype html><title>Sign in</title>', { 'content-type': 'text/html' }),
    emptyBody: () => send(response, 200, '', headers),
    badJson: () => send(response, 200, text.slice(0, text.length / 2), headers),
  };
  const way = kind === undefined ? undefined : ways[kind];
  if (way === undefined) send(response, 200, text, headers);
  else way();
}
