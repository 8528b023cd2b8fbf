import { answerChat } from '../answers/answer.js';
import type { Token } from '../answers/written.js';
import type { ModelProfile } from '../profile.schema.js';
import { forwardChat } from './forward.js';
import { errorReply, type PoolState, profileOf, type Reply, serveCall, type Work } from './pipeline.js';
import { type ChatRequest, readChat, Refusal } from './request.js';

/** What a reply of the pool is known by. */
export const fingerprint = 'simulated-pool';

/** `POST /v1/chat/completions`. */
export function chat(
  state: PoolState,
  body: Readonly<Record<string, unknown>>,
  content: string,
  gone: AbortSignal,
): Promise<Reply | undefined> {
  const request = readChat(body);
  const profile = profileOf(state, request.model, 'chat');
  for (const { kind } of request.pieces) {
    if (!profile.modalities.includes(kind)) {
      throw new Refusal(
        400,
        'invalid_request_error',
        `The model '${request.model}' does not support ${kind} input`,
        'messages',
      );
    }
  }
  const inputTokens = inputTokensOf(request, profile);
  return serveCall(state, {
    model: request.model,
    task: 'chat',
    content,
    inputTokens,
    longest: inputTokens,
    gone,
    work: async (own, attempt, fault) => {
      const byWords = state.forwardWhen?.test(request.system) === true;
      const answered = byWords
        ? ({ ok: false, why: 'its system message asks for the real model' } as const)
        : answerChat(state, request, own, request.temperature > 0 ? `sample ${request.seed ?? attempt}` : '');
      if (!answered.ok) return passOn(state, request, answered.why);
      const counts = state.counts.of(request.model);
      counts.tuples += answered.tuples;
      const task = answered.task ?? 'fields';
      counts.tasks[task] = (counts.tasks[task] ?? 0) + 1;
      for (const piece of request.pieces) {
        if (piece.kind === 'image') counts.images++;
        if (piece.kind === 'audio') counts.audioSeconds += piece.seconds;
      }
      return completion(request, own, answered.tokens, fault === 'badJson');
    },
  });
}

function inputTokensOf({ system, pieces, body }: ChatRequest, { tokens }: ModelProfile): number {
  const { charsPerToken, perImage, perAudioSecond } = tokens;
  const text = pieces.reduce((sum, piece) => sum + (piece.kind === 'text' ? piece.text.length : 0), system.length);
  const other = pieces.reduce((sum, piece) => {
    if (piece.kind === 'text') return sum;
    return sum + (piece.kind === 'image' ? perImage : Math.ceil(piece.seconds * perAudioSecond));
  }, 0);
  const schema = body['response_format'] === undefined ? 0 : JSON.stringify(body['response_format']).length;
  return Math.ceil((text + schema) / charsPerToken) + other;
}

function completion(request: ChatRequest, profile: ModelProfile, tokens: readonly Token[], broken: boolean): Work {
  const kept = broken ? tokens.slice(0, Math.floor(tokens.length / 2)) : tokens.slice(0, request.maxTokens);
  const content = kept.map(({ token }) => token).join('');
  const inputTokens = inputTokensOf(request, profile);
  const reply: Reply = {
    status: 200,
    body: {
      id: 'chatcmpl-simulated',
      object: 'chat.completion',
      created: Math.floor(Date.now() / 1000),
      model: request.model,
      system_fingerprint: fingerprint,
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, refusal: null },
          finish_reason: !broken && kept.length < tokens.length ? 'length' : 'stop',
          logprobs:
            request.topLogprobs === undefined
              ? null
              : { content: kept.map((token) => logprobOf(token, request.topLogprobs ?? 0)), refusal: null },
        },
      ],
      usage: { prompt_tokens: inputTokens, completion_tokens: kept.length, total_tokens: inputTokens + kept.length },
    },
  };
  return { reply, outputTokens: kept.length };
}

function logprobOf({ token, logprob, others }: Token, top: number) {
  const entry = (text: string, value: number) => ({ token: text, logprob: value, bytes: [...Buffer.from(text)] });
  const all = [{ token, logprob }, ...others].sort((a, b) => b.logprob - a.logprob).slice(0, top);
  return { ...entry(token, logprob), top_logprobs: all.map((one) => entry(one.token, one.logprob)) };
}

/** The real model's own reply, or an error that says why there is none. */
async function passOn(state: PoolState, request: ChatRequest, why: string): Promise<Work> {
  const { forward, counts } = state;
  if (forward === undefined) {
    counts.of(request.model).unanswered++;
    const message = `The simulated pool cannot answer: ${why}; and no real model is configured to pass the call to (forward).`;
    return { reply: errorReply(501, 'not_simulated', message), outputTokens: 0 };
  }
  counts.of(request.model).forwarded++;
  counts.enter(forward.model);
  const began = performance.now();
  try {
    const result = await forwardChat(forward, request.body);
    if (!result.ok) {
      counts.of(request.model).forwardFailed++;
      const message = `The simulated pool passed the call to the real model ${forward.model} (${why}), which failed: ${result.why}`;
      return { reply: errorReply(502, 'forward_failed', message), outputTokens: 0, real: true };
    }
    const { body, inputTokens, outputTokens } = result;
    counts.charge(forward.model, forward.price ?? { inputPerMTok: 0, outputPerMTok: 0 }, inputTokens, outputTokens);
    const headers = { 'x-fermata-forwarded': encodeURIComponent(forward.model) };
    return {
      reply: { status: 200, body: { ...body, system_fingerprint: `${fingerprint}/forwarded` }, headers },
      outputTokens,
      real: true,
    };
  } finally {
    counts.of(forward.model).latencyMs += performance.now() - began;
    counts.leave(forward.model);
  }
}
