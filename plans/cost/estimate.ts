/** What a query will ask and pay, before it asks anything. */
import type { CallRole } from '../operators/call.js';
import type { Price } from '../protocol/model.js';
import type { CallEstimate, Estimate, Range } from '../protocol/run.js';
import { priceOf } from './price.js';

/** One semantic call of a plan, in the order of execution, with what plain SQL and the ledger know about it. */
export interface CallFacts {
  readonly id: string;
  readonly operator: string;
  readonly intent: string;
  readonly model: string;
  /** A filter narrows the rows of all calls after it. */
  readonly role: CallRole;
  /** Rows that plain SQL lets through to it, as if no filter call came before. */
  readonly rows: number;
  /** Distinct prompts among them. */
  readonly distinct: number;
  /** Distinct prompts that the ledger has answered. */
  readonly cached: number;
  /** Mean input tokens of one prompt, as estimated. */
  readonly promptTokens: number;
  /** Output tokens of one answer. */
  readonly outputTokens: Range;
  /** Rows that are under way when it is seen that enough have passed, for a filter under a LIMIT; default 0. */
  readonly inFlight?: number;
  /** Prompts that one call to the model carries; default 1. */
  readonly perCall?: number;
  /** Absent: not known. */
  readonly price?: Price;
  /** How long one call holds the model, in milliseconds; prices compute by the hour. Absent: not known. */
  readonly ms?: Range;
  /** Share of the prompts that is asked, by a strategy that looks at all rows before any is sure; absent: all, or enough. */
  readonly asked?: Range;
  /** Share of rows that a filter passes; without one, `defaultSelectivity`. */
  readonly selectivity?: Range;
}

/** PLOP §5 takes 0.2 for every semantic filter; nothing is known about the bounds before the first answers. */
export const defaultSelectivity: Range = { low: 0, expected: 0.2, high: 1 };

/** `estimateTokens` lies within a factor of two on every script that was measured. */
const tokenError: Range = { low: 0.5, expected: 1, high: 2 };

const none: Range = { low: 0, expected: 0, high: 0 };
const every: Range = { low: 1, expected: 1, high: 1 };

/**
 * Calls, tokens and USD of a query as low, expected and high. A first filter without LIMIT is exact: it asks every
 * distinct prompt that has no answer yet. Later calls see the rows that filters pass. With `stopAfter` (LIMIT + OFFSET)
 * asking ends when so many rows are sure. Calls for repair and retries are not foreseen.
 */
export function estimateCalls(facts: readonly CallFacts[], stopAfter?: number): Estimate {
  const filters = facts.filter((call) => call.role === 'filter');
  const passing = filters.reduce((share, call) => share * selectivityOf(call).expected, 1);
  let share: Range = { low: 1, expected: 1, high: 1 };
  const calls: CallEstimate[] = [];
  for (const call of facts) {
    const pending = Math.max(0, call.distinct - call.cached);
    const reached = times(times({ low: pending, expected: pending, high: pending }, share), call.asked ?? every);
    const limit = limitOf(call, passing, share.expected, stopAfter);
    calls.push(estimateCall(call, whole(limited(reached, limit))));
    if (call.role === 'filter') share = times(share, selectivityOf(call));
  }
  return { calls, total: totalOf(calls) };
}

function selectivityOf(call: CallFacts): Range {
  return call.selectivity ?? defaultSelectivity;
}

interface Limit {
  /** Share of the rows that reach a call which it expects to ask before enough rows are sure. */
  readonly expected: number;
  /** Most calls. */
  readonly high: number;
  /** Most calls that may turn out to be needed at least. */
  readonly low: number;
}

const unlimited: Limit = { expected: 1, high: Infinity, low: Infinity };

function limitOf(call: CallFacts, passing: number, before: number, stopAfter: number | undefined): Limit {
  if (stopAfter === undefined || call.asked !== undefined) return unlimited;
  if (stopAfter === 0) return { expected: 0, high: 0, low: 0 };
  const needed = call.rows * passing;
  const under = (call.inFlight ?? 0) / Math.max(1, call.rows);
  const expected = needed <= stopAfter ? 1 : Math.min(1, stopAfter / needed + under);
  // values are asked for the rows of the result alone, filters until the result is sure; one prompt may serve many rows
  if (call.role === 'filter') return { expected, high: Infinity, low: call.cached > 0 ? 0 : 1 };
  const rowsBefore = call.rows * before;
  return {
    expected: rowsBefore <= stopAfter ? 1 : stopAfter / rowsBefore,
    high: stopAfter,
    low: call.cached > 0 ? 0 : 1,
  };
}

function limited(calls: Range, limit: Limit): Range {
  const most = Math.min(calls.high, limit.high);
  const low = Math.min(calls.low, limit.low, most);
  return { low, expected: Math.max(low, Math.min(calls.expected * limit.expected, most)), high: most };
}

function estimateCall(call: CallFacts, prompts: Range): CallEstimate {
  const input = scale(tokenError, call.promptTokens);
  const tokens = whole(times(prompts, add(input, call.outputTokens)));
  const usd = usdOf(call, prompts, input);
  const calls = callsFor(prompts, call.perCall ?? 1);
  const { id, operator, intent, model, rows, distinct, cached } = call;
  return { id, operator, intent, model, rows, distinct, cached, calls, tokens, ...(usd === undefined ? {} : { usd }) };
}

function callsFor({ low, expected, high }: Range, perCall: number): Range {
  const calls = (prompts: number): number => Math.ceil(prompts / perCall);
  return { low: calls(low), expected: calls(expected), high: calls(high) };
}

function usdOf(call: CallFacts, calls: Range, input: Range): Range | undefined {
  if (calls.high === 0) return none;
  if (call.price?.unit === 'hour' && call.ms === undefined) return undefined;
  const one = (bound: keyof Range) =>
    priceOf({ inputTokens: input[bound], outputTokens: call.outputTokens[bound] }, call.price, call.ms?.[bound] ?? 0);
  const low = one('low');
  const expected = one('expected');
  const high = one('high');
  if (low === undefined || expected === undefined || high === undefined) return undefined;
  return times(calls, { low, expected, high });
}

/** Sums; the USD of the whole are unknown when those of any call are. */
function totalOf(calls: readonly CallEstimate[]): Estimate['total'] {
  const usd = calls.reduce<Range | undefined>(
    (sum, call) => (sum === undefined || call.usd === undefined ? undefined : add(sum, call.usd)),
    none,
  );
  return {
    calls: calls.reduce((sum, call) => add(sum, call.calls), none),
    tokens: calls.reduce((sum, call) => add(sum, call.tokens), none),
    ...(usd === undefined ? {} : { usd }),
  };
}

function add(a: Range, b: Range): Range {
  return { low: a.low + b.low, expected: a.expected + b.expected, high: a.high + b.high };
}

function times(a: Range, b: Range): Range {
  return { low: a.low * b.low, expected: a.expected * b.expected, high: a.high * b.high };
}

function scale(range: Range, by: number): Range {
  return { low: range.low * by, expected: range.expected * by, high: range.high * by };
}

/** Calls and tokens are whole; rounding outward keeps low ≤ expected ≤ high. */
function whole(range: Range): Range {
  return { low: Math.floor(range.low), expected: Math.round(range.expected), high: Math.ceil(range.high) };
}
