import { readFileSync } from 'node:fs';

/** Changes when the machine starts anew. Undefined where the system tells no such thing. */
export function bootId(): string | undefined {
  try {
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return /^[0-9a-f-]{36}$/.test(id) ? id : undefined;
  } catch {
    return undefined;
  }
}
