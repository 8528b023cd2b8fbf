import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Codes remembered, at most. */
const remembered = 1000;

/** Counts what each code did to its sandbox; at the last strike it is disabled in this process. */
export class Strikes {
  private readonly counts = new LRUCache<string, number>({ max: remembered });
  private readonly most: number;

  constructor(most: number) {
    this.most = most;
  }

  isOut(source: string): boolean {
    return (this.counts.get(keyOf(source)) ?? 0) >= this.most;
  }

  add(source: string): void {
    const key = keyOf(source);
    this.counts.set(key, (this.counts.get(key) ?? 0) + 1);
  }
}

function keyOf(source: string): string {
  return createHash('sha256').update(source).digest('base64');
}
