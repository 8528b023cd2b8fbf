/** Rows of partitions one after the other, a partition in memory at a time. */
export class Cursor<T extends { readonly in: number }> {
  private rows: readonly T[] = [];
  private next = 0;
  private partition: number;
  private readonly to: number;
  private readonly load: (partition: number) => Promise<readonly T[]>;

  /** Rows ascend by the number of their input through the partitions `[from, to)`. */
  constructor(from: number, to: number, load: (partition: number) => Promise<readonly T[]>) {
    [this.partition, this.to, this.load] = [from, to, load];
  }

  /** The next row, which stays; undefined at the end. */
  async head(): Promise<T | undefined> {
    while (this.next >= this.rows.length) {
      if (this.partition >= this.to) return undefined;
      this.rows = await this.load(this.partition);
      this.partition += 1;
      this.next = 0;
    }
    return this.rows[this.next];
  }

  skip(): void {
    this.next += 1;
  }

  /** The row of one input, if it is there; inputs must be asked for in ascending order. */
  async take(at: number): Promise<T | undefined> {
    for (;;) {
      const row = await this.head();
      if (row === undefined || row.in > at) return undefined;
      this.skip();
      if (row.in === at) return row;
    }
  }
}

/** Rows of all cursors, ascending. */
export async function* ascending<T extends { readonly in: number }>(cursors: readonly Cursor<T>[]): AsyncGenerator<T> {
  for (;;) {
    let first: { readonly row: T; readonly cursor: Cursor<T> } | undefined;
    for (const cursor of cursors) {
      const row = await cursor.head();
      if (row !== undefined && (first === undefined || row.in < first.row.in)) first = { row, cursor };
    }
    if (first === undefined) return;
    first.cursor.skip();
    yield first.row;
  }
}
