/** Children of the sandbox, lent one at a time. Those that were killed are replaced when one is asked for. */
import { SandboxChild, type ChildLimits, type ChildUse } from './child.js';

export class ChildPool {
  private readonly size: number;
  private readonly limits: ChildLimits;
  private readonly observe: ((use: ChildUse) => void) | undefined;
  private readonly idle: SandboxChild[] = [];
  private readonly waiting: (() => void)[] = [];
  private readonly lent = new Set<SandboxChild>();
  private free: number;
  private closed = false;

  constructor(size: number, limits: ChildLimits, observe?: (use: ChildUse) => void) {
    this.size = size;
    this.limits = limits;
    this.observe = observe;
    this.free = size;
  }

  /** How many children work at the same time, at most. */
  get width(): number {
    return this.size;
  }

  /**
   * Lends a child for the time of `work`.
   *
   * @throws FermataError `SandboxFailed` when none can be started
   */
  async lend<T>(work: (child: SandboxChild) => Promise<T>): Promise<T> {
    if (this.free > 0) this.free -= 1;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      const child = await this.take();
      try {
        return await work(child);
      } finally {
        this.lent.delete(child);
        if (this.closed) await child.close();
        else if (child.alive) this.idle.push(child);
      }
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free += 1;
      else next();
    }
  }

  /** Ends all children, those at work too; resolves once they are gone. */
  async close(): Promise<void> {
    this.closed = true;
    await Promise.all([...this.idle.splice(0), ...this.lent].map((child) => child.close()));
  }

  private async take(): Promise<SandboxChild> {
    let child = this.idle.pop();
    while (child !== undefined && !child.alive) child = this.idle.pop();
    child ??= await SandboxChild.start(this.limits, this.observe);
    this.lent.add(child);
    return child;
  }
}
