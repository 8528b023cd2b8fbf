import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * A process, told apart from a later one that got the same pid: the start time and the command line have to agree
 * before a signal is ever sent to a pid read from a file.
 */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; equal for the same process only. On Linux the boot id and the start in clock ticks. */
  readonly start: string;
  readonly command: string;
}

/** The process of this pid, or undefined when there is none, it is a zombie, or this system cannot tell. */
export function identify(pid: number): ProcessIdentity | undefined {
  return process.platform === 'linux' ? identifyByProc(pid) : identifyByPs(pid);
}

/** Whether this very process still runs. */
export function isAlive(identity: ProcessIdentity): boolean {
  const now = identify(identity.pid);
  return now !== undefined && now.start === identity.start && now.command === identity.command;
}

/**
 * Sends `signal` to that very process, waits, and sends SIGKILL when it is still there after `graceMs`.
 *
 * @returns whether a process had to be ended
 */
export async function endProcess(
  identity: ProcessIdentity,
  graceMs: number,
  signal: NodeJS.Signals = 'SIGTERM',
): Promise<boolean> {
  if (!isAlive(identity)) return false;
  sendSignal(identity.pid, signal);
  if (!(await waitGone(identity, graceMs)) && isAlive(identity)) {
    sendSignal(identity.pid, 'SIGKILL');
    await waitGone(identity, 5_000);
  }
  return true;
}

/** Waits until that process is gone; false when it is still there after `limitMs`. */
export async function waitGone(identity: ProcessIdentity, limitMs: number): Promise<boolean> {
  const deadline = performance.now() + limitMs;
  while (isAlive(identity)) {
    if (performance.now() > deadline) return false;
    await sleep(25);
  }
  return true;
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

let bootId: string | undefined;

function identifyByProc(pid: number): ProcessIdentity | undefined {
  try {
    // The second field is the name in parentheses and may itself hold spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, ticks] = [fields[0], fields[19]];
    if (state === 'Z' || state === 'X' || ticks === undefined) return undefined;
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').join(' ').trim();
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { pid, start: `${bootId}:${ticks}`, command };
  } catch {
    return undefined;
  }
}

/** Width of `lstart` in `ps`, e.g. `Wed Dec  2 08:27:00 2026`. */
const lstartWidth = 24;

function identifyByPs(pid: number): ProcessIdentity | undefined {
  const ps = spawnSync('ps', ['-p', String(pid), '-o', 'lstart=', '-o', 'command='], {
    encoding: 'utf8',
    env: { ...process.env, LC_ALL: 'C' },
  });
  const line = ps.status === 0 ? ps.stdout.trim() : '';
  if (line === '' || line.endsWith('<defunct>')) return undefined;
  return { pid, start: line.slice(0, lstartWidth), command: line.slice(lstartWidth).trim() };
}
