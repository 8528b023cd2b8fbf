/** Passes a call that the truth cannot answer, such as a planner's or a judge's, to a real model. */
import { parseJson } from '../../../plans/protocol/json.js';
import type { ModelProfile } from '../profile.schema.js';

export interface ForwardTarget {
  /** Base of an OpenAI-compatible endpoint, such as `http://127.0.0.1:8080/v1`. */
  readonly url: string;
  /** Model id there; its calls are counted under this name. */
  readonly model: string;
  /** Default 0: a local model. */
  readonly price?: ModelProfile['price'];
  readonly apiKey?: string;
  /** Default 120,000. */
  readonly timeoutMs?: number;
}

export type Forwarded =
  | {
      readonly ok: true;
      readonly body: Record<string, unknown>;
      readonly inputTokens: number;
      readonly outputTokens: number;
    }
  /** What went wrong, for the caller to read; never an answer made up in its place. */
  | { readonly ok: false; readonly why: string };

/** One attempt: retries are the caller's. */
export async function forwardChat(target: ForwardTarget, body: Readonly<Record<string, unknown>>): Promise<Forwarded> {
  let status: number;
  let text: string;
  try {
    const response = await fetch(`${target.url.replace(/\/+$/, '')}/chat/completions`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(target.apiKey === undefined ? {} : { authorization: `Bearer ${target.apiKey}` }),
      },
      body: JSON.stringify({ ...body, model: target.model }),
      signal: AbortSignal.timeout(target.timeoutMs ?? 120_000),
    });
    status = response.status;
    text = await response.text();
  } catch (error) {
    const { message, cause } = error as Error;
    return { ok: false, why: `${message}${cause instanceof Error ? `: ${cause.message}` : ''}` };
  }
  const parsed = parseJson(text);
  if (status !== 200) return { ok: false, why: `status ${status}: ${text.slice(0, 300)}` };
  if (!parsed.ok || parsed.value === null || typeof parsed.value !== 'object' || Array.isArray(parsed.value)) {
    return { ok: false, why: `no JSON object: ${text.slice(0, 300)}` };
  }
  const reply = parsed.value as Record<string, unknown>;
  if (!Array.isArray(reply['choices']) || reply['choices'].length === 0)
    return { ok: false, why: 'a reply without choices' };
  const usage = reply['usage'] as { prompt_tokens?: number; completion_tokens?: number } | null | undefined;
  return { ok: true, body: reply, inputTokens: usage?.prompt_tokens ?? 0, outputTokens: usage?.completion_tokens ?? 0 };
}
