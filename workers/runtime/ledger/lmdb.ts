import type {
  Answer,
  AnswerKey,
  CallResult,
  Ledger,
  Reservation,
  Spend,
  SpendLimits,
  Tally,
} from '../../../activities/ports.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { archive } from './archive.js';
import { type Account, Book, type Held, isNothing, recordKeys, spendOf } from './book.js';
import { commitLive, type Environments, openEnvironments } from './environments.js';
import { GroupCommit } from './group-commit.js';
import { count, toNano, toUsd } from './money.js';
import {
  answerKeyBytes,
  decodeAccount,
  decodeAnswer,
  decodeHeld,
  encodeAccount,
  encodeAnswer,
  encodeHeld,
  recordPart,
} from './records.js';

/** How long an answer may wait in `live`, in milliseconds: what a power cut can cost. */
const archiveAfterMs = 250;

/**
 * Opens the embedded ledger in a folder. Any number of processes on one machine may have it open at once.
 *
 * When `settle` resolves, the answer and the spend survive the death of every process; a power cut can take back the last quarter
 * of a second or so, and leaves the rest readable. Settling a key again replaces its answer and counts as another call.
 * Reservations are clamped: an attempt that was replaced (`open`) cannot give back what its successor holds more than once.
 *
 * @throws FermataError `StoreUnreachable` when the folder cannot be used.
 */
export function openLmdbLedger(settings: { readonly dir: string }): Ledger {
  try {
    return new LmdbLedger(settings.dir, openEnvironments(settings.dir));
  } catch (error) {
    throw unusable(error, settings.dir);
  }
}

class LmdbLedger implements Ledger {
  readonly #dir: string;
  readonly #environments: Environments;
  readonly #writes: GroupCommit<Transaction>;
  #timer: NodeJS.Timeout | undefined;
  #archiving: Promise<void> = Promise.resolve();
  /** Something was written since the last archiving began. */
  #unsafe = false;
  #closing = false;
  #closed = false;

  constructor(dir: string, environments: Environments) {
    this.#dir = dir;
    this.#environments = environments;
    this.#writes = new GroupCommit((work) => this.#commit(work));
    this.#archiveSoon();
  }

  async lookup(keys: readonly AnswerKey[]): Promise<readonly (Answer | undefined)[]> {
    const { live, safe } = this.#env;
    live.root.resetReadTxn();
    const found: (string | undefined)[] = [];
    const bytes = keys.map(answerKeyBytes);
    for (const key of bytes) found.push(live.answers.get(key));
    // After `live` has been read: an answer leaves it only once `safe` shows it.
    safe.root.resetReadTxn();
    return Promise.resolve(
      bytes.map((key, index) => {
        const text = found[index] ?? safe.answers.get(key);
        return text === undefined ? undefined : decodeAnswer(text);
      }),
    );
  }

  async open(reservation: Reservation): Promise<void> {
    const { runId, holder } = checked(reservation);
    // A killed process leaves its place in the readers' table, which keeps free pages from being used again.
    this.#env.live.root.readerCheck();
    this.#env.safe.root.readerCheck();
    await this.#writes.add(({ book }) => book.release(runId, holder, undefined));
  }

  async reserve(
    reservation: Reservation,
    call: { readonly usd: number; readonly tokens: number },
    limits: SpendLimits,
  ): Promise<boolean> {
    const { runId, holder } = checked(reservation);
    const ask = heldFor(call);
    if (limits.usd !== undefined) toNano(limits.usd);
    // Not the bare promise: returning one from an async function costs three more.
    return await this.#writes.add(({ book }) => book.reserve(runId, holder, ask, limits));
  }

  async settle(
    reservation: Reservation,
    operator: string,
    reserved: { readonly usd: number; readonly tokens: number },
    result: CallResult,
  ): Promise<void> {
    const { runId, holder } = checked(reservation);
    recordPart(operator, 'operator');
    const back = heldFor(reserved);
    const change = changeOf(result);
    const brought = answersOf(result).map(({ key, answer }) => ({
      key: answerKeyBytes(key),
      answer: encodeAnswer(answer),
    }));
    await this.#writes.add(({ book, answers }) => {
      answers.push(...brought);
      book.release(runId, holder, back);
      book.spend(runId, operator, change);
    });
    this.#archiveSoon();
  }

  async tally(reservation: Reservation, operator: string, tally: Tally): Promise<void> {
    const { runId, holder } = checked(reservation);
    recordPart(operator, 'operator');
    for (const amount of [tally.answered, tally.cached, tally.failed]) count(amount, 'inputs');
    toNano(tally.savedUsd);
    await this.#writes.add(({ book }) => book.tally(runId, operator, holder, tally));
    this.#archiveSoon();
  }

  async spend(runId: string, operator?: string): Promise<Spend> {
    recordPart(runId, 'run id');
    const key = operator === undefined ? recordKeys.run(runId) : recordKeys.operator(runId, operator);
    this.#env.live.root.resetReadTxn();
    return Promise.resolve(spendOf(this.#account(key)));
  }

  /** `usd` is what all runs of this store have spent. */
  async stats(): Promise<{ readonly answers: number; readonly bytes: number; readonly usd: number }> {
    const { live, safe } = this.#env;
    live.root.resetReadTxn();
    safe.root.resetReadTxn();
    return Promise.resolve({
      answers: this.#countAnswers(),
      bytes: size(live.answers.getStats()) + size(safe.answers.getStats()),
      usd: toUsd(this.#account(recordKeys.total)?.usd ?? 0),
    });
  }

  async clear(): Promise<number> {
    await this.#writes.drained();
    const { live, safe } = this.#env;
    live.root.resetReadTxn();
    return safe.root.transaction(() => {
      const removed = this.#countAnswers();
      commitLive(this.#env, () => live.answers.clearSync());
      void safe.answers.clearAsync();
      return removed;
    });
  }

  /** Brings everything to the disk. Later calls fail. */
  async close(): Promise<void> {
    if (this.#closing) return;
    this.#closing = true;
    clearTimeout(this.#timer);
    await this.#writes.drained();
    await this.#archiving;
    const environments = this.#env;
    this.#closed = true;
    try {
      await archive(environments);
    } catch (error) {
      throw unusable(error, this.#dir);
    }
    await environments.live.root.close();
    await environments.safe.root.close();
  }

  get #env(): Environments {
    if (this.#closed) throw new FermataError('StoreUnreachable', 'The ledger is closed.');
    return this.#environments;
  }

  #account(key: string): Account | undefined {
    const { live, safe } = this.#env;
    let text = live.accounts.get(key);
    if (text === undefined) {
      // An account leaves `live` only once `safe` shows it, to those who look anew.
      safe.root.resetReadTxn();
      text = safe.accounts.get(key);
    }
    return text === undefined ? undefined : decodeAccount(text);
  }

  #countAnswers(): number {
    const { live, safe } = this.#env;
    let answers = entries(safe.answers.getStats());
    for (const key of live.answers.getKeys()) if (!safe.answers.doesExist(key)) answers += 1;
    return answers;
  }

  #commit(work: (txn: Transaction) => void): void {
    const { live } = this.#env;
    try {
      commitLive(this.#env, () => {
        const book = new Book({
          account: (key) => this.#account(key),
          held: (key) => {
            const text = live.held.get(key);
            return text === undefined ? undefined : decodeHeld(text);
          },
        });
        const answers: Transaction['answers'] = [];
        work({ book, answers });
        for (const { key, answer } of answers) live.answers.putSync(key, answer);
        for (const [key, account] of book.accounts) {
          live.accounts.putSync(key, encodeAccount(account));
        }
        for (const [key, held] of book.held) {
          if (isNothing(held)) live.held.removeSync(key);
          else live.held.putSync(key, encodeHeld(held));
        }
      });
    } catch (error) {
      throw unusable(error, this.#dir);
    }
  }

  /** One at a time in this process: two would carry the same records. */
  #archiveSoon(): void {
    this.#unsafe = true;
    if (this.#timer !== undefined || this.#closing) return;
    this.#timer = setTimeout(() => {
      this.#unsafe = false;
      this.#archiving = archive(this.#env)
        // What cannot be archived now stays in `live`, and the next attempt or `close` meets the same error.
        .catch(() => {
          this.#unsafe = true;
        })
        .then(() => {
          this.#timer = undefined;
          if (this.#unsafe) this.#archiveSoon();
        });
    }, archiveAfterMs);
    this.#timer.unref();
  }
}

interface Transaction {
  readonly book: Book;
  readonly answers: { readonly key: Uint8Array; readonly answer: string }[];
}

function checked(reservation: Reservation): Reservation {
  recordPart(reservation.runId, 'run id');
  recordPart(reservation.holder, 'holder');
  return reservation;
}

function heldFor(call: { readonly usd: number; readonly tokens: number }): Held {
  return { calls: 1, usd: toNano(call.usd), tokens: count(call.tokens, 'tokens') };
}

function answersOf({ key, answer, others = [] }: CallResult): readonly { key: AnswerKey; answer: Answer }[] {
  return answer === undefined ? others : [{ key, answer }, ...others];
}

function changeOf(result: CallResult): Partial<Account> {
  return {
    calls: 1,
    retries: result.retry ? 1 : 0,
    inputTokens: count(result.usage.inputTokens, 'tokens'),
    outputTokens: count(result.usage.outputTokens, 'tokens'),
    usd: result.usd === undefined ? 0 : toNano(result.usd),
    unpriced: result.usd === undefined ? 1 : 0,
  };
}

interface DatabaseStats {
  readonly entryCount: number;
  readonly pageSize: number;
  readonly treeBranchPageCount: number;
  readonly treeLeafPageCount: number;
  readonly overflowPages: number;
}

function entries(stats: object): number {
  return (stats as DatabaseStats).entryCount;
}

function size(stats: object): number {
  const { pageSize, treeBranchPageCount, treeLeafPageCount, overflowPages } = stats as DatabaseStats;
  return pageSize * (treeBranchPageCount + treeLeafPageCount + overflowPages);
}

function unusable(error: unknown, dir: string): FermataError {
  if (FermataError.is(error)) return error;
  return new FermataError('StoreUnreachable', `The ledger in ${dir} cannot be used: ${(error as Error).message}`, {
    hint:
      'Check that the disk has room, and that the folder belongs to you and lies on a local disk. ' +
      'If it is damaged, move it away: Fermata starts a new one, and answers are asked for again.',
    cause: error,
  });
}
