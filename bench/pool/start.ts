/**
 * The simulated model pool: an OpenAI-compatible server whose models answer from registered truth, with the accuracy, time,
 * price, limits and faults of a profile. It is a simulation, and says so in every reply.
 *
 * @example
 * const pool = await startPool({ truth: [movieTruth(folder)], seed: 7, latencyScale: 0 });
 * // … point a client at pool.url, model sim-mini …
 * console.log(pool.counts()['sim-mini']?.usd);
 * await pool.close();
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { defaultProfiles, type Profiles } from './profile.schema.js';
import { chat, fingerprint } from './serve/chat.js';
import { Counts, type ModelCounts } from './serve/counts.js';
import { embeddings } from './serve/embeddings.js';
import { Attempts } from './serve/faults.js';
import type { ForwardTarget } from './serve/forward.js';
import { errorReply, type PoolState, type Reply } from './serve/pipeline.js';
import { Refusal } from './serve/request.js';
import { transcriptions } from './serve/transcriptions.js';
import { Difficulty, type DifficultyMode } from './truth/difficulty.js';
import { Truth } from './truth/registry.js';
import type { TruthData } from './truth/types.js';

export interface PoolOptions {
  /** Default: the fixed profiles of `profiles.json`. */
  readonly profiles?: Profiles;
  readonly truth: Truth | readonly TruthData[];
  /** Seeds difficulty, errors, faults and latency; default 1. */
  readonly seed?: number;
  /** Default `sourced`. */
  readonly difficulty?: DifficultyMode;
  /** Simulated latency times this; default 1, and 0 answers at once. */
  readonly latencyScale?: number;
  /** Further names of chat models: a client that knows only the names of real ones. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The real model for calls that the truth cannot answer; without one these get a 501. */
  readonly forward?: ForwardTarget;
  /** System messages that go to the real model though the prompt may hold known tuples, such as a planner's. */
  readonly forwardWhen?: RegExp;
  /** Default: any free port of the loopback. */
  readonly port?: number;
}

export interface Pool {
  /** Base URL, ends in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** The registry, which may grow while the pool runs: rows, aliases, media after resizing. */
  readonly truth: Truth;
  /** By model. */
  counts(): Readonly<Record<string, ModelCounts>>;
  resetCounts(): void;
  /** Wall-clock ms since the counts began during which one call or more was in its simulated latency. */
  sleptMs(): number;
  /** From the next call on, simulated latency times this. */
  pace(latencyScale: number): void;
  close(): Promise<void>;
}

type Route = (
  state: PoolState,
  request: IncomingMessage,
  bytes: Buffer,
  gone: AbortSignal,
) => Promise<Reply | undefined> | Reply;

const routes: Readonly<Record<string, Route>> = {
  'POST /v1/chat/completions': (state, _, bytes, gone) =>
    chat(state, byAlias(state, jsonBody(bytes)), bytes.toString(), gone),
  'POST /v1/embeddings': (state, _, bytes, gone) => embeddings(state, jsonBody(bytes), bytes.toString(), gone),
  'POST /v1/audio/transcriptions': (state, request, bytes, gone) =>
    transcriptions(state, request.headers['content-type'] ?? '', bytes, gone),
  'GET /v1/models': ({ profiles }) => ({
    status: 200,
    body: {
      object: 'list',
      data: Object.keys(profiles).map((id) => ({ id, object: 'model', created: 0, owned_by: fingerprint })),
    },
  }),
  'GET /counts': ({ counts }) => ({ status: 200, body: counts.snapshot() }),
  'POST /counts/reset': ({ counts }) => {
    counts.reset();
    return { status: 200, body: {} };
  },
};

/** Starts the pool on the loopback. */
export async function startPool(options: PoolOptions): Promise<Pool> {
  const truth = options.truth instanceof Truth ? options.truth : new Truth(...options.truth);
  const seed = options.seed ?? 1;
  const state: PoolState = {
    profiles: options.profiles ?? defaultProfiles(),
    truth,
    difficulty: new Difficulty(truth, options.difficulty ?? 'sourced', seed),
    seed,
    counts: new Counts(),
    aliases: options.aliases ?? {},
    limits: new Map(),
    attempts: new Attempts(),
    latencyScale: options.latencyScale ?? 1,
    forward: options.forward,
    forwardWhen: options.forwardWhen,
  };
  const sockets = new Set<Socket>();
  const server = createServer((request, response) => {
    void handle(state, request, response);
  });
  server.keepAliveTimeout = 60_000;
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    truth,
    counts: () => state.counts.snapshot(),
    resetCounts: () => state.counts.reset(),
    sleptMs: () => state.counts.sleptMs,
    pace: (latencyScale) => {
      state.latencyScale = latencyScale;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function handle(state: PoolState, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const control = new AbortController();
  response.once('close', () => control.abort());
  let reply: Reply | undefined;
  try {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const path = (request.url ?? '').split('?')[0] ?? '';
    const route = routes[`${request.method ?? ''} ${path}`];
    reply =
      route === undefined
        ? errorReply(404, 'not_found', `There is no ${request.method ?? ''} ${path} in the simulated pool`)
        : await route(state, request, Buffer.concat(chunks), control.signal);
  } catch (error) {
    reply = failure(error);
  }
  if (reply === undefined || response.destroyed) return;
  const text = typeof reply.body === 'string';
  const body = text ? (reply.body as string) : JSON.stringify(reply.body);
  response.writeHead(reply.status, {
    'content-type': text ? 'text/plain; charset=utf-8' : 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-fermata-simulated': '1',
    ...reply.headers,
  });
  response.end(body);
}

function failure(error: unknown): Reply {
  if (error instanceof Refusal) {
    return errorReply(error.status, error.code, error.message, error.param === undefined ? {} : { param: error.param });
  }
  return errorReply(
    500,
    'pool_defect',
    `A defect of the simulated pool, not an injected fault: ${(error as Error).message}`,
  );
}

function byAlias({ aliases }: PoolState, body: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const name = body['model'];
  return typeof name === 'string' && aliases[name] !== undefined ? { ...body, model: aliases[name] } : body;
}

function jsonBody(bytes: Buffer): Readonly<Record<string, unknown>> {
  try {
    const body: unknown = JSON.parse(bytes.toString());
    if (body !== null && typeof body === 'object' && !Array.isArray(body)) return body as Record<string, unknown>;
  } catch {
    // told below
  }
  throw new Refusal(400, 'invalid_request_error', 'the body is no JSON object');
}
