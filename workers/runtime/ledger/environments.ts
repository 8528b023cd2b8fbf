import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { bootId } from './boot.js';
import { checkDataFile } from './file-check.js';

type Text = Database<string, string>;
type Answers = Database<string, Uint8Array>;

/**
 * The two LMDB environments of a ledger.
 *
 * `live` takes every write first. It never waits for the disk: a commit is in the page cache, so it survives the death of
 * any process (kill -9 included), but not a power cut, after which it may even be unreadable. That is why it belongs to
 * one boot of the machine: its folder carries the boot id, and a folder of another boot is thrown away unread.
 * `safe` gets what is in `live` a moment later, with the disk flushed, and survives power cuts. One commit with a flush
 * costs about ten times the CPU of one without, and would stop the event loop for as long as the disk needs.
 */
export interface Environments {
  readonly live: {
    readonly root: RootDatabase;
    /** Answers that `safe` does not have yet. */
    readonly answers: Answers;
    /** Accounts that `safe` does not have in their present state. */
    readonly accounts: Text;
    /** Reservations: of no use after the processes that made them, so `safe` never has them. */
    readonly held: Text;
  };
  readonly safe: { readonly root: RootDatabase; readonly answers: Answers; readonly accounts: Text };
}

const livePrefix = 'live-';

export function openEnvironments(dir: string): Environments {
  mkdirSync(dir, { recursive: true });
  const boot = bootId();
  const liveName = `${livePrefix}${boot ?? 'flushed'}`;
  for (const name of readdirSync(dir)) {
    if (name.startsWith(livePrefix) && name !== liveName) rmSync(join(dir, name), { recursive: true, force: true });
  }
  for (const name of [liveName, 'safe']) checkDataFile(join(dir, name));
  // Without a boot id a power cut cannot be noticed, so there even `live` flushes each commit.
  const live = open<string, string>(join(dir, liveName), { noSync: boot !== undefined, maxDbs: 4, encoding: 'string' });
  // Not overlapping: with it a commit that was reported as flushed could be gone after the kill of its process, together
  // with what had been taken from `live` on that report.
  const safe = open<string, string>(join(dir, 'safe'), { overlappingSync: false, maxDbs: 2, encoding: 'string' });
  const answers = { encoding: 'string', keyEncoding: 'binary' } as const;
  return {
    live: {
      root: live,
      answers: live.openDB<string, Uint8Array>('answers', answers),
      accounts: live.openDB<string, string>('accounts', { encoding: 'string' }),
      held: live.openDB<string, string>('held', { encoding: 'string' }),
    },
    safe: {
      root: safe,
      answers: safe.openDB<string, Uint8Array>('answers', answers),
      accounts: safe.openDB<string, string>('accounts', { encoding: 'string' }),
    },
  };
}

/** One transaction on `live`, committed when this returns; rolled back when `work` throws. */
export function commitLive<T>(environments: Environments, work: () => T): T {
  return environments.live.root.transactionSync(work);
}
