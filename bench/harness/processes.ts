/** CPU time and memory of processes, as Linux counts them in `/proc`. */
import { readFileSync } from 'node:fs';

/** Clock ticks a second of `/proc/<pid>/stat`: `USER_HZ`, 100 on every Linux that Node runs on. */
const ticksASecond = 100;

/** User and system time of a process and its threads since its start, in ms (in steps of 10); undefined when it is gone. */
export function cpuMs(pid: number): number | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in parentheses may hold spaces: fields are counted after it. utime and stime are the 14th and 15th field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksASecond) * 1000;
}

/** Resident memory in MiB, now. */
export function rssMb(pid: number): number | undefined {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return kilobytes === undefined ? undefined : Number(kilobytes) / 1024;
}

export interface ProcessUse {
  readonly name: string;
  readonly cpuMs: number;
  /** Most resident memory seen, in MiB. */
  readonly maxRssMb: number;
  /** Resident memory at the end, in MiB. */
  readonly endRssMb: number;
}

/** Watches processes from now on; `stop` says what they have used since. */
export function watchProcesses(pids: Readonly<Record<string, number>>, everyMs = 100): { stop(): ProcessUse[] } {
  const watched = Object.entries(pids).map(([name, pid]) => ({ name, pid, before: cpuMs(pid) ?? 0, max: 0 }));
  const look = (): void => {
    for (const entry of watched) entry.max = Math.max(entry.max, rssMb(entry.pid) ?? 0);
  };
  const timer = setInterval(look, everyMs);
  look();
  return {
    stop() {
      clearInterval(timer);
      look();
      return watched.map(({ name, pid, before, max }) => {
        const now = cpuMs(pid);
        if (now === undefined) throw new Error(`process ${name} (${pid}) ended during the measurement`);
        return { name, cpuMs: now - before, maxRssMb: max, endRssMb: rssMb(pid) ?? 0 };
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
