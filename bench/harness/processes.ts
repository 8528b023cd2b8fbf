/** CPU time and memory of processes, as Linux counts them in `/proc`. */
import { readFileSync } from 'node:fs';
import { cpuMsOf } from '../../workers/runtime/sandbox/process-use.js';

/** Memory in MiB. */
export interface Memory {
  /** All resident pages, with those of files: code, and the pages of the ledger that LMDB has mapped. */
  readonly rss: number;
  /** Resident pages of its own: heap, buffers, stacks. */
  readonly own: number;
}

function memoryOf(pid: number): Memory {
  const status = read(`/proc/${pid}/status`) ?? '';
  const mb = (field: string): number =>
    Number(new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
  return { rss: mb('VmRSS'), own: mb('RssAnon') };
}

export interface ProcessUse {
  readonly name: string;
  readonly cpuMs: number;
  /** Most seen, each by itself. */
  readonly most: Memory;
}

/** Watches processes from now on; `stop` says what they have used since. */
export function watchProcesses(pids: Readonly<Record<string, number>>, everyMs = 100): { stop(): ProcessUse[] } {
  const watched = Object.entries(pids).map(([name, pid]) => ({
    name,
    pid,
    before: cpuMsOf(pid) ?? 0,
    most: { rss: 0, own: 0 },
  }));
  const look = (): void => {
    for (const entry of watched) {
      const { rss, own } = memoryOf(entry.pid);
      entry.most = { rss: Math.max(entry.most.rss, rss), own: Math.max(entry.most.own, own) };
    }
  };
  const timer = setInterval(look, everyMs);
  look();
  return {
    stop() {
      clearInterval(timer);
      look();
      return watched.map(({ name, pid, before, most }) => {
        const now = cpuMsOf(pid);
        if (now === undefined) throw new Error(`process ${name} (${pid}) ended during the measurement`);
        return { name, cpuMs: now - before, most };
      });
    },
  };
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
