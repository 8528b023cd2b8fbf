/** Processor time and memory of another process, where the system tells: Linux, in `/proc`. */
import { readFileSync } from 'node:fs';

/** Clock ticks a second of `/proc/<pid>/stat`: `USER_HZ`, 100 on every Linux that Node runs on. */
const ticksASecond = 100;

/** User and system time since the process's start, in ms (in steps of 10); undefined where it cannot be told. */
export function cpuMsOf(pid: number): number | undefined {
  const text = read(`/proc/${pid}/stat`);
  if (text === undefined) return undefined;
  // The name in parentheses may hold spaces: fields are counted after it. utime and stime are the 14th and 15th field.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / ticksASecond) * 1000;
}

/** Most resident memory since the process's start, in MiB; undefined where it cannot be told. */
export function peakRssMb(pid: number): number | undefined {
  const peak = /^VmHWM:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return peak === undefined ? undefined : Number(peak) / 1024;
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
