/** Items that are one another's duplicates, as a union-find with the first item of each cluster for its name. */
export class Clusters {
  readonly #parents: Int32Array;

  constructor(items: number) {
    this.#parents = Int32Array.from({ length: items }, (_, item) => item);
  }

  /** The first item of the cluster that an item is in. */
  of(item: number): number {
    let root = item;
    for (let parent = this.#parent(root); parent !== root; parent = this.#parent(root)) {
      this.#parents[root] = this.#parent(parent);
      root = this.#parent(root);
    }
    return root;
  }

  join(a: number, b: number): void {
    const [one, other] = [this.of(a), this.of(b)];
    this.#parents[Math.max(one, other)] = Math.min(one, other);
  }

  /** The number of each item's cluster, from 1 in the order of their first items. */
  numbers(): readonly number[] {
    const numbers: number[] = [];
    let count = 0;
    for (let item = 0; item < this.#parents.length; item += 1) {
      const first = this.of(item);
      numbers.push(first === item ? ++count : (numbers[first] ?? 0));
    }
    return numbers;
  }

  #parent(item: number): number {
    return this.#parents[item] ?? item;
  }
}
