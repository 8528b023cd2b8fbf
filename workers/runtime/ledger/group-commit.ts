/**
 * Gathers the operations that callers hand in during one turn of the event loop and commits them together. Callers that
 * run side by side share one transaction; a lone caller waits for nothing but its own.
 */
export class GroupCommit<Txn> {
  readonly #commit: (work: (txn: Txn) => void) => void;
  #waiting: Waiting<Txn>[] = [];
  #idle: (() => void)[] = [];

  /** `commit` runs the work in one transaction and returns when it is committed; it throws when nothing was. */
  constructor(commit: (work: (txn: Txn) => void) => void) {
    this.#commit = commit;
  }

  /** Resolves after the commit. `run` must not throw after it has changed something: it shares its transaction. */
  add<T>(run: (txn: Txn) => T): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      let result: T;
      this.#waiting.push({
        run: (txn) => {
          result = run(txn);
        },
        done: () => resolve(result),
        reject,
      });
      if (this.#waiting.length === 1) setImmediate(() => this.#flush());
    });
  }

  /** Resolves when nothing waits. */
  async drained(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #flush(): void {
    const batch = this.#waiting;
    this.#waiting = [];
    try {
      this.#commit((txn) => {
        for (const { run } of batch) run(txn);
      });
      for (const { done } of batch) done();
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    const idle = this.#idle;
    this.#idle = [];
    for (const resolve of idle) resolve();
  }
}

interface Waiting<Txn> {
  readonly run: (txn: Txn) => void;
  readonly done: () => void;
  readonly reject: (error: unknown) => void;
}
