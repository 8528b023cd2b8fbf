import { type Environments, commitLive } from './environments.js';

/** Records of a kind moved in one transaction: bounds both the memory and the pause of the event loop (a few milliseconds). */
const chunk = 1000;

interface Moved {
  readonly answers: readonly { readonly key: Uint8Array; readonly value: string }[];
  readonly accounts: readonly { readonly key: string; readonly value: string }[];
}

/**
 * Brings what is only in `live` to `safe`, and takes it from `live` once the disk has it. Any process may do it at any time and
 * die at any point: what is read is read under the write lock of `safe`, so an older state never replaces a newer one, and
 * what is removed is removed only if nobody has changed it since.
 */
export async function archive(environments: Environments): Promise<void> {
  for (;;) {
    const moved = await copyChunk(environments);
    if (moved.answers.length === 0 && moved.accounts.length === 0) return;
    await environments.safe.root.flushed;
    removeChunk(environments, moved);
    if (moved.answers.length < chunk && moved.accounts.length < chunk) return;
  }
}

function copyChunk({ live, safe }: Environments): Promise<Moved> {
  live.root.resetReadTxn();
  // Only a look at the first key: counting walks through all of them, even with a limit.
  if (isEmpty(live.answers.getKeys({ limit: 1 })) && isEmpty(live.accounts.getKeys({ limit: 1 }))) {
    return Promise.resolve({ answers: [], accounts: [] });
  }
  return safe.root.transaction(() => {
    live.root.resetReadTxn();
    const answers = [...live.answers.getRange({ limit: chunk })].map(({ key, value }) => ({
      key: Buffer.from(key),
      value,
    }));
    const accounts = [...live.accounts.getRange({ limit: chunk })];
    for (const { key, value } of answers) void safe.answers.put(key, value);
    for (const { key, value } of accounts) void safe.accounts.put(key, value);
    return { answers, accounts };
  });
}

function removeChunk(environments: Environments, moved: Moved): void {
  const { live } = environments;
  commitLive(environments, () => {
    for (const { key, value } of moved.answers) if (live.answers.get(key) === value) live.answers.removeSync(key);
    for (const { key, value } of moved.accounts) if (live.accounts.get(key) === value) live.accounts.removeSync(key);
  });
}

function isEmpty(keys: Iterable<unknown>): boolean {
  return [...keys].length === 0;
}
