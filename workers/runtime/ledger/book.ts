import type { Spend, SpendLimits, Tally } from '../../../activities/ports.js';
import { toNano, toUsd } from './money.js';

/** Spend of a run, of one operator of it, or of the whole store, or one holder's tally; `usd` and `saved` in nano-USD. */
export interface Account {
  readonly calls: number;
  readonly retries: number;
  readonly answered: number;
  readonly cached: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  readonly unpriced: number;
  readonly saved: number;
}

/** What is set aside; `usd` in nano-USD. */
export interface Held {
  readonly calls: number;
  readonly usd: number;
  readonly tokens: number;
}

const emptyAccount: Account = {
  calls: 0,
  retries: 0,
  answered: 0,
  cached: 0,
  failed: 0,
  inputTokens: 0,
  outputTokens: 0,
  usd: 0,
  unpriced: 0,
  saved: 0,
};
const nothingHeld: Held = { calls: 0, usd: 0, tokens: 0 };

type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** Records as one transaction sees them. */
export interface Records {
  account(key: string): Account | undefined;
  held(key: string): Held | undefined;
}

/** Keys of one run's records. Parts hold no control characters (`recordPart`), so the separator cannot be forged. */
export const recordKeys = {
  run: (runId: string) => `${runId}\t`,
  operator: (runId: string, operator: string) => `${runId}\t${operator}`,
  holder: (runId: string, holder: string) => `${runId}\t${holder}`,
  tally: (runId: string, operator: string, holder: string) => `${runId}\t${operator}\t${holder}`,
  /** Spend of the whole store. */
  total: '\t',
} as const;

/**
 * The arithmetic of one transaction: reads records on first use, keeps changes in memory, and hands them out at the end,
 * so that a batch of any number of operations on one run writes each record once.
 */
export class Book {
  readonly #records: Records;
  readonly accounts = new Map<string, Writable<Account>>();
  readonly held = new Map<string, Held>();
  readonly #readAccounts = new Map<string, Account>();
  readonly #readHeld = new Map<string, Held>();

  constructor(records: Records) {
    this.#records = records;
  }

  /** Sets aside `ask` where spent + set aside + asked stays within every limit. */
  reserve(runId: string, holder: string, ask: Held, limits: SpendLimits): boolean {
    const runKey = recordKeys.run(runId);
    const spent = this.#account(runKey);
    const held = this.#heldBy(runKey);
    const fits =
      within(spent.calls + held.calls + ask.calls, limits.calls) &&
      within(spent.usd + held.usd + ask.usd, limits.usd === undefined ? undefined : toNano(limits.usd)) &&
      within(spent.inputTokens + spent.outputTokens + held.tokens + ask.tokens, limits.tokens);
    if (!fits) return false;
    const holderKey = recordKeys.holder(runId, holder);
    this.held.set(runKey, plus(held, ask));
    this.held.set(holderKey, plus(this.#heldBy(holderKey), ask));
    return true;
  }

  /** Gives back at most `amount`, and never more than the holder has: an attempt that was replaced holds nothing. */
  release(runId: string, holder: string, amount: Held | undefined): void {
    const runKey = recordKeys.run(runId);
    const holderKey = recordKeys.holder(runId, holder);
    const mine = this.#heldBy(holderKey);
    const back = amount === undefined ? mine : least(mine, amount);
    if (back.calls === 0 && back.usd === 0 && back.tokens === 0) return;
    this.held.set(holderKey, minus(mine, back));
    this.held.set(runKey, minus(this.#heldBy(runKey), back));
  }

  /** Adds to the operator, its run and the whole store. */
  spend(runId: string, operator: string, change: Partial<Account>): void {
    for (const key of [recordKeys.operator(runId, operator), recordKeys.run(runId), recordKeys.total]) {
      add(this.#writable(key), change);
    }
  }

  /** Replaces what the holder said before: only the difference reaches the sums. */
  tally(runId: string, operator: string, holder: string, tally: Tally): void {
    const key = recordKeys.tally(runId, operator, holder);
    const before = this.#account(key);
    const now = { answered: tally.answered, cached: tally.cached, failed: tally.failed, saved: toNano(tally.savedUsd) };
    this.spend(runId, operator, {
      answered: now.answered - before.answered,
      cached: now.cached - before.cached,
      failed: now.failed - before.failed,
      saved: now.saved - before.saved,
    });
    this.accounts.set(key, { ...emptyAccount, ...now });
  }

  /** The account as this transaction will write it: a copy, changed in place by the many operations of a batch. */
  #writable(key: string): Writable<Account> {
    let account = this.accounts.get(key);
    if (account === undefined) {
      account = { ...this.#account(key) };
      this.accounts.set(key, account);
    }
    return account;
  }

  #account(key: string): Account {
    return (
      this.accounts.get(key) ?? remembered(this.#readAccounts, key, () => this.#records.account(key), emptyAccount)
    );
  }

  #heldBy(key: string): Held {
    return this.held.get(key) ?? remembered(this.#readHeld, key, () => this.#records.held(key), nothingHeld);
  }
}

export function isNothing(held: Held): boolean {
  return held.calls === 0 && held.usd === 0 && held.tokens === 0;
}

export function spendOf(account: Account = emptyAccount): Spend {
  const { usd, saved, ...counters } = account;
  return { ...counters, usd: toUsd(usd), savedUsd: toUsd(saved) };
}

function remembered<T>(read: Map<string, T>, key: string, load: () => T | undefined, empty: T): T {
  let value = read.get(key);
  if (value === undefined) {
    value = load() ?? empty;
    read.set(key, value);
  }
  return value;
}

function within(sum: number, limit: number | undefined): boolean {
  return limit === undefined || sum <= limit;
}

function add(account: Writable<Account>, change: Partial<Account>): void {
  account.calls += change.calls ?? 0;
  account.retries += change.retries ?? 0;
  account.answered += change.answered ?? 0;
  account.cached += change.cached ?? 0;
  account.failed += change.failed ?? 0;
  account.inputTokens += change.inputTokens ?? 0;
  account.outputTokens += change.outputTokens ?? 0;
  account.usd += change.usd ?? 0;
  account.unpriced += change.unpriced ?? 0;
  account.saved += change.saved ?? 0;
}

function plus(a: Held, b: Held): Held {
  return { calls: a.calls + b.calls, usd: a.usd + b.usd, tokens: a.tokens + b.tokens };
}

function minus(a: Held, b: Held): Held {
  return { calls: a.calls - b.calls, usd: a.usd - b.usd, tokens: a.tokens - b.tokens };
}

function least(a: Held, b: Held): Held {
  return { calls: Math.min(a.calls, b.calls), usd: Math.min(a.usd, b.usd), tokens: Math.min(a.tokens, b.tokens) };
}
