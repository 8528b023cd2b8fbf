import { priceOf, worstCase } from '../../plans/cost/index.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import { repairRequest, semanticOperators } from '../../plans/operators/index.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { StopReason } from '../../plans/protocol/run.js';
import type {
  Answer,
  CallGate,
  Clock,
  LanguageModel,
  Ledger,
  Model,
  ModelReply,
  ModelRequest,
  Reservation,
  SpendLimits,
  Usage,
} from '../ports.js';
import { type Outcome, outcomeOfError } from './outcome.js';

export interface AskContext {
  readonly ledger: Ledger;
  readonly gate: CallGate;
  readonly clock: Clock;
  readonly model: Model & { readonly language: LanguageModel };
  readonly call: SemanticCall;
  readonly reservation: Reservation;
  readonly limits: SpendLimits;
  /** Ends the asking: no call starts after it, calls in flight end by themselves. */
  readonly stop: AbortSignal;
  /** A later pass over the same partition: its calls count as retries, and an unusable reply is final. */
  readonly again: boolean;
  /** The same was asked within a larger prompt before: its first call counts as a retry too. */
  readonly repeated?: boolean;
}

/** What one call needs of it, whatever is asked. */
export type CallContext = Omit<AskContext, 'call'> & { readonly call: Pick<SemanticCall, 'id'> };

export interface Attempt {
  readonly reply: ModelReply;
  readonly usage: Usage;
  readonly usd: number | undefined;
  readonly reserved: { readonly usd: number; readonly tokens: number };
  readonly ms: number;
}

const never = new AbortController().signal;

/**
 * Asks the model one request: within the gate, reserved before the call, settled after it. A reply that does not fit the
 * output type gets one repair call; when that is unusable too, a later pass asks afresh, once. Never throws for a failed
 * call; throws for a broken ledger, and `CallError` of fate `fatal`, which every other call would meet too.
 */
export async function ask(request: ModelRequest, key: string, context: AskContext): Promise<Outcome> {
  const retry = context.again || context.repeated === true;
  const first = await attempt(request, key, context, retry);
  if ('state' in first) return first;
  const { decode } = semanticOperators[context.call.parameters.kind];
  const decoded = decode(first.reply.text, context.call);
  if (decoded.ok) return bought(key, context, first, toAnswer(decoded.value, first, context), retry);
  await settleFailure(key, context, first.reserved, first.usage, first.usd, retry);

  const second = await attempt(repairRequest(request, first.reply.text, decoded.problem), key, context, true);
  if ('state' in second) return second;
  const repaired = decode(second.reply.text, context.call);
  if (repaired.ok) return bought(key, context, second, toAnswer(repaired.value, second, context), true);
  await settleFailure(key, context, second.reserved, second.usage, second.usd, true);
  return {
    state: mayAskAfresh(request, context) ? 'transient' : 'error',
    code: 'badOutput',
    message: repaired.problem,
  };
}

/** Endpoints have moments in which every reply is garbage; a model that repeats itself would only repeat the bad reply. */
function mayAskAfresh(request: ModelRequest, { again, model }: AskContext): boolean {
  return !again && !(model.deterministic === true && request.temperature === 0);
}

/**
 * One call: within the gate, reserved before it, and where it brings no reply settled after it. A caller settles a reply.
 * Throws as `ask` does.
 */
export async function attempt(
  request: ModelRequest,
  key: string,
  context: CallContext,
  retry: boolean,
): Promise<Attempt | Outcome> {
  const { model, gate, ledger, clock } = context;
  const reserved = worstCase(request, model.price);
  let leave: () => void;
  try {
    leave = await gate.enter(model, reserved.tokens, context.stop);
  } catch (error) {
    if (context.stop.aborted) return { state: 'undecided' };
    throw error;
  }
  try {
    if (!(await ledger.reserve(context.reservation, reserved, context.limits))) {
      return { state: 'undecided', limit: await limitReached(context, reserved) };
    }
    const began = clock.now();
    try {
      const reply = await model.language.complete(request, never);
      const ms = clock.now() - began;
      const usage = reply.usage ?? estimatedUsage(reserved.tokens, request);
      const usd = reply.usage === undefined ? undefined : priceOf(usage, model.price, ms);
      return { reply, usage, usd, reserved, ms };
    } catch (error) {
      if (!(error instanceof CallError)) {
        await settleFailure(key, context, reserved, noUsage, 0, retry);
        throw error;
      }
      const usage = error.usage ?? noUsage;
      await settleFailure(key, context, reserved, usage, priceOf(usage, model.price, clock.now() - began), retry);
      return failed(error, context);
    }
  } finally {
    leave();
  }
}

/** Of a call that failed before anything was counted. */
export const noUsage: Usage = { inputTokens: 0, outputTokens: 0 };

/** An endpoint that reports no usage is counted at what was set aside, and as unpriced. */
function estimatedUsage(tokens: number, request: ModelRequest): Usage {
  const outputTokens = Math.min(request.maxOutputTokens, tokens);
  return { inputTokens: tokens - outputTokens, outputTokens };
}

function failed(error: CallError, context: CallContext): Outcome {
  if (error.fate === 'fatal') throw error;
  if (error.retryAfterMs !== undefined && error.fate === 'transient') {
    context.gate.pause(context.model, error.retryAfterMs);
  }
  return outcomeOfError(error, context.clock.now());
}

/** Which limit refused the reservation. */
export async function limitReached(
  context: Pick<AskContext, 'ledger' | 'limits' | 'reservation'>,
  asked: { readonly usd: number; readonly tokens: number },
): Promise<StopReason> {
  const { limits } = context;
  const spend = await context.ledger.spend(context.reservation.runId);
  if (limits.calls !== undefined && spend.calls + 1 > limits.calls) return 'budget-calls';
  const tokens = spend.inputTokens + spend.outputTokens + asked.tokens;
  if (limits.tokens !== undefined && tokens > limits.tokens) return 'budget-tokens';
  if (limits.usd !== undefined) return 'budget-usd';
  return limits.calls === undefined ? 'budget-tokens' : 'budget-calls';
}

export function toAnswer(value: Answer['value'], made: Attempt, context: CallContext): Answer {
  return {
    value,
    ...(made.reply.confidence === undefined ? {} : { confidence: made.reply.confidence }),
    usage: made.usage,
    usd: made.usd ?? 0,
    ms: made.ms,
    runId: context.reservation.runId,
  };
}

export async function bought(
  key: string,
  context: CallContext,
  made: Attempt,
  answer: Answer,
  retry: boolean,
): Promise<Outcome> {
  await context.ledger.settle(context.reservation, context.call.id, made.reserved, {
    key,
    answer,
    usage: made.usage,
    ...(made.usd === undefined ? {} : { usd: made.usd }),
    retry,
  });
  return { state: 'ok', answer, cached: false };
}

/** Turns a call into spend that brought nothing to keep. */
export async function settleFailure(
  key: string,
  context: CallContext,
  reserved: { usd: number; tokens: number },
  usage: Usage,
  usd: number | undefined,
  retry: boolean,
): Promise<void> {
  await context.ledger.settle(context.reservation, context.call.id, reserved, {
    key,
    usage,
    ...(usd === undefined ? {} : { usd }),
    retry,
  });
}
