/** Which items are most alike, by their vectors or by their spelling: the pairs that are worth a question. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

export interface Neighbour {
  readonly item: number;
  /** Cosine, from -1 to 1. */
  readonly likeness: number;
}

/** The `k` others that are most alike an item, best first; ties go to the first. */
export type NearestOf = (item: number, k: number) => readonly Neighbour[];

/** By vectors of any length but nought; an item without one is like none. */
export function nearestByVectors(vectors: readonly (ArrayLike<number> | undefined)[]): NearestOf {
  const units = vectors.map((vector) => (vector === undefined ? undefined : unit(vector)));
  return (item, k) => {
    const own = units[item];
    const best = new Best(k);
    if (own === undefined) return [];
    for (let other = 0; other < units.length; other++) {
      const vector = units[other];
      if (vector === undefined || other === item) continue;
      let sum = 0;
      for (let at = 0; at < own.length; at++) sum += own[at]! * (vector[at] ?? 0);
      best.offer(other, sum);
    }
    return best.found;
  };
}

function unit(vector: ArrayLike<number>): Float32Array {
  let sum = 0;
  for (let at = 0; at < vector.length; at++) sum += vector[at]! ** 2;
  const length = sum === 0 ? 1 : Math.sqrt(sum);
  return Float32Array.from(vector, (value) => value / length);
}

/** Longest part of a text whose spelling counts, in UTF-16 units. */
const read = 2_000;

/** By runs of three characters within words, weighed by how rare they are; items that share none are not alike. */
export function nearestBySpelling(texts: readonly string[]): NearestOf {
  const grams = texts.map(gramsOf);
  const holders = new Map<string, number[]>();
  for (const [item, own] of grams.entries()) {
    for (const gram of own) {
      const known = holders.get(gram);
      if (known === undefined) holders.set(gram, [item]);
      else known.push(item);
    }
  }
  const weightOf = (gram: string): number => Math.log(1 + texts.length / (holders.get(gram)?.length ?? 1)) ** 2;
  const lengths = grams.map((own) => Math.sqrt(own.reduce((sum, gram) => sum + weightOf(gram), 0)));
  const shared = new Float64Array(texts.length);
  return (item, k) => {
    const touched: number[] = [];
    for (const gram of grams[item]!) {
      const weight = weightOf(gram);
      for (const other of holders.get(gram)!) {
        if (shared[other] === 0) touched.push(other);
        shared[other]! += weight;
      }
    }
    const best = new Best(k);
    for (const other of touched.sort((a, b) => a - b)) {
      if (other !== item) best.offer(other, shared[other]! / (lengths[item]! * lengths[other]!));
      shared[other] = 0;
    }
    return best.found;
  };
}

function gramsOf(text: string): readonly string[] {
  const words =
    text
      .slice(0, read)
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const found = new Set<string>();
  for (const word of words) {
    const characters = [' ', ...Array.from(word), ' '];
    for (let at = 0; at + 3 <= characters.length; at++) found.add(characters.slice(at, at + 3).join(''));
  }
  return [...found];
}

/** The best few of many, offered in the order of their numbers. */
class Best {
  readonly #k: number;
  readonly #found: Neighbour[] = [];

  constructor(k: number) {
    this.#k = k;
  }

  get found(): readonly Neighbour[] {
    return this.#found;
  }

  offer(item: number, likeness: number): void {
    if (this.#found.length >= this.#k && likeness <= (this.#found.at(-1)?.likeness ?? -Infinity)) return;
    let at = this.#found.length;
    while (at > 0 && this.#found[at - 1]!.likeness < likeness) at -= 1;
    this.#found.splice(at, 0, { item, likeness });
    if (this.#found.length > this.#k) this.#found.pop();
  }
}
