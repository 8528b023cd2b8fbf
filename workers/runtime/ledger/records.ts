import type { Answer, AnswerKey } from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { type JsonValue, parseJson } from '../../../plans/protocol/json.js';
import type { Account, Held } from './book.js';

/** 64 hex digits to 32 bytes. @throws FermataError `Internal` */
export function answerKeyBytes(key: AnswerKey): Buffer {
  if (!/^[0-9a-f]{64}$/.test(key)) {
    throw new FermataError('Internal', 'A ledger key is not 64 hex digits in lower case.');
  }
  return Buffer.from(key, 'hex');
}

const longestPart = 800;

/** Checks a run id, an operator or a holder before it becomes part of a record's key. @throws FermataError `Internal` */
export function recordPart(part: string, what: string): string {
  if (part.length === 0 || part.length > longestPart || hasControl(part)) {
    throw new FermataError(
      'Internal',
      `The ledger takes no ${what} that is empty, over ${longestPart} long or has control characters.`,
    );
  }
  return part;
}

function hasControl(text: string): boolean {
  for (let index = 0; index < text.length; index += 1) if (text.charCodeAt(index) < 0x20) return true;
  return false;
}

/** JSON arrays: about 40 bytes for a verdict, readable with any LMDB tool, and what PostgreSQL would hold as jsonb. */
export function encodeAnswer(answer: Answer): string {
  const { value, usage, usd, ms, runId, confidence } = answer;
  const row = [value, usage.inputTokens, usage.outputTokens, usd, ms, runId];
  return JSON.stringify(confidence === undefined ? row : [...row, confidence]);
}

export function decodeAnswer(text: string): Answer {
  const [value, inputTokens, outputTokens, usd, ms, runId, confidence] = array(text);
  return {
    value: value ?? null,
    usage: { inputTokens: number(inputTokens), outputTokens: number(outputTokens) },
    usd: number(usd),
    ms: number(ms),
    runId: typeof runId === 'string' ? runId : '',
    ...(confidence === undefined ? {} : { confidence: number(confidence) }),
  };
}

/** Order of an account's counters in its record; a new one goes to the end. */
const accountColumns = [
  'calls',
  'retries',
  'answered',
  'cached',
  'failed',
  'inputTokens',
  'outputTokens',
  'usd',
  'unpriced',
  'saved',
] as const satisfies readonly (keyof Account)[];

export function encodeAccount(account: Account): string {
  return JSON.stringify(accountColumns.map((column) => account[column]));
}

export function decodeAccount(text: string): Account {
  const row = array(text);
  return Object.fromEntries(accountColumns.map((column, index) => [column, number(row[index])])) as unknown as Account;
}

export function encodeHeld(held: Held): string {
  return JSON.stringify([held.calls, held.usd, held.tokens]);
}

export function decodeHeld(text: string): Held {
  const [calls, usd, tokens] = array(text).map(number);
  return { calls: calls ?? 0, usd: usd ?? 0, tokens: tokens ?? 0 };
}

function array(text: string): readonly JsonValue[] {
  const parsed = parseJson(text);
  if (parsed.ok && Array.isArray(parsed.value)) return parsed.value as readonly JsonValue[];
  throw new FermataError('BadData', 'A record of the ledger cannot be read.', {
    hint: 'The ledger folder is damaged. Move it away: Fermata starts a new one, and answers are asked for again.',
  });
}

function number(value: JsonValue | undefined): number {
  return typeof value === 'number' ? value : 0;
}
