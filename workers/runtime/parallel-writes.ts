/** Writes side by side: a store far away, or a disk that flushes, answers slowly, and takes many at once. */
export class ParallelWrites {
  readonly #most: number;
  readonly #mostBytes: number;
  readonly #flights = new Set<Promise<void>>();
  #bytes = 0;
  #failure: { readonly error: unknown } | undefined;

  /** `mostBytes` bounds what is held by writes that have begun; one that is larger goes alone. */
  constructor(most = 8, mostBytes = 32 * 1024 * 1024) {
    this.#most = most;
    this.#mostBytes = mostBytes;
  }

  /** Resolves when the write has begun. Throws what an earlier one threw. */
  async add(size: number, write: () => Promise<void>): Promise<void> {
    while (this.#flights.size >= this.#most || (this.#flights.size > 0 && this.#bytes + size > this.#mostBytes)) {
      await Promise.race(this.#flights);
    }
    if (this.#failure !== undefined) await this.done();
    this.#bytes += size;
    const flight: Promise<void> = write()
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => {
        this.#bytes -= size;
        this.#flights.delete(flight);
      });
    this.#flights.add(flight);
  }

  /** Resolves when every write has ended. Throws what the first failed one threw. */
  async done(): Promise<void> {
    await Promise.all(this.#flights);
    if (this.#failure !== undefined) throw this.#failure.error;
  }
}
