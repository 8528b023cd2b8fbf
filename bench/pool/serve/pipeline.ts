/** What every call to a simulated model goes through: rate limits, faults, the work itself, latency and the counts. */
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answerer } from '../answers/answer.js';
import type { ModelProfile, Profiles } from '../profile.schema.js';
import { hashOf } from '../random.js';
import type { Counts } from './counts.js';
import { Attempts, type Fault, faultOf } from './faults.js';
import type { ForwardTarget } from './forward.js';
import { latencyMs } from './latency.js';
import { RateLimit } from './limits.js';
import { Refusal } from './request.js';

export interface Reply {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>> | string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface PoolState extends Answerer {
  readonly profiles: Profiles;
  readonly aliases: Readonly<Record<string, string>>;
  readonly counts: Counts;
  readonly limits: Map<string, RateLimit>;
  readonly attempts: Attempts;
  /** Simulated latency times this; 0: none. May change between calls. */
  latencyScale: number;
  readonly forward: ForwardTarget | undefined;
  /** System messages that go to the real model though the prompt may hold known tuples. */
  readonly forwardWhen: RegExp | undefined;
}

/** A call that was worked out, before its time has passed. */
export interface Work {
  readonly reply: Reply;
  readonly outputTokens: number;
  /** The real model has taken its own time, and its own price. */
  readonly real?: boolean;
}

export interface Call {
  readonly model: string;
  readonly task: ModelProfile['task'];
  /** The body, for telling calls apart. */
  readonly content: string;
  readonly inputTokens: number;
  /** Tokens of what must fit the context at once. */
  readonly longest: number;
  /** Aborted when nobody waits for the reply any more. */
  readonly gone: AbortSignal;
  readonly work: (profile: ModelProfile, attempt: number, fault: Fault | undefined) => Work | Promise<Work>;
}

export function profileOf(state: PoolState, model: string, task: ModelProfile['task']): ModelProfile {
  const profile = Object.hasOwn(state.profiles, model) ? state.profiles[model] : undefined;
  if (profile === undefined) throw new Refusal(404, 'model_not_found', `The model '${model}' does not exist`, 'model');
  if (profile.task !== task) {
    throw new Refusal(
      400,
      'invalid_request_error',
      `The model '${model}' is for ${profile.task}, not ${task}`,
      'model',
    );
  }
  return profile;
}

export function errorReply(
  status: number,
  code: string,
  message: string,
  extra: Partial<Reply> & { param?: string } = {},
): Reply {
  const { param, headers } = extra;
  return {
    status,
    body: {
      error: { message, type: status >= 500 ? 'server_error' : 'invalid_request_error', param: param ?? null, code },
    },
    ...(headers === undefined ? {} : { headers }),
  };
}

function tooMany(waitMs: number): Reply {
  const headers = { 'retry-after': String(Math.ceil(waitMs / 1000)), 'retry-after-ms': String(Math.ceil(waitMs)) };
  return errorReply(429, 'rate_limit_exceeded', `Rate limit reached; try again in ${Math.ceil(waitMs)} ms`, {
    headers,
  });
}

/** Wait that an injected 429 asks for, in ms, before scaling. */
const injectedWaitMs = 1000;

/** Undefined: nobody is there to answer any more. */
export async function serveCall(state: PoolState, call: Call): Promise<Reply | undefined> {
  const { counts, seed } = state;
  const profile = profileOf(state, call.model, call.task);
  if (call.longest > profile.contextTokens) {
    const message = `This model's maximum context length is ${profile.contextTokens} tokens`;
    throw new Refusal(400, 'context_length_exceeded', message, 'messages');
  }
  const wait = limitOf(state, call.model, profile).enter(call.inputTokens, counts.of(call.model).inFlight);
  if (wait !== undefined) {
    counts.of(call.model).limited++;
    return tooMany(wait);
  }
  counts.enter(call.model);
  try {
    const key = String(hashOf(call.content));
    const attempt = state.attempts.next(key);
    const fault = faultOf(profile.faults, seed, call.model, key, attempt);
    if (fault !== undefined) {
      const { faults } = counts.of(call.model);
      faults[fault] = (faults[fault] ?? 0) + 1;
    }
    if (fault === 'rateLimited') return tooMany(injectedWaitMs * state.latencyScale);
    if (fault === 'serverError') return errorReply(500, 'server_error', 'The simulated server had an error');
    if (fault === 'hang') {
      if (!call.gone.aborted) await once(call.gone, 'abort');
      return undefined;
    }
    const { reply, outputTokens, real } = await call.work(profile, attempt, fault);
    if (real !== true && reply.status === 200) {
      counts.charge(call.model, profile.price, call.inputTokens, outputTokens);
      const ms =
        latencyMs(profile, [seed, call.model, key, attempt], call.inputTokens, outputTokens) * state.latencyScale;
      counts.of(call.model).latencyMs += ms;
      if (ms > 0) await counts.sleeping(sleep(ms));
    }
    return reply;
  } finally {
    counts.leave(call.model);
  }
}

function limitOf(state: PoolState, model: string, profile: ModelProfile): RateLimit {
  const limit = state.limits.get(model) ?? new RateLimit(profile.limits);
  state.limits.set(model, limit);
  return limit;
}
