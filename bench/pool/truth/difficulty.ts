/**
 * How hard a row is, in [0,1]: half of it what the label's evidence says, half a seeded hash of the row's id. Nothing of
 * the text, picture or clip goes in, so that a router of ours cannot read it off what it sees.
 */
import { drawsOf } from '../random.js';
import type { KnownTuple, Truth } from './registry.js';

/** As its evidence says; every row as hard as the mean; or the same difficulties dealt to rows at random. */
export const difficultyModes = ['sourced', 'flat', 'shuffled'] as const;
export type DifficultyMode = (typeof difficultyModes)[number];

const evidenceWeight = 0.5;
const unknownEvidence = 0.5;

export class Difficulty {
  readonly mode: DifficultyMode;
  private readonly truth: Truth;
  private readonly seed: number;
  private readonly dealt = new Map<string, Uint32Array>();
  private readonly means = new Map<string, number>();

  constructor(truth: Truth, mode: DifficultyMode, seed: number) {
    this.truth = truth;
    this.mode = mode;
    this.seed = seed;
  }

  /** Of one row; under `flat` this is what the row would have as sourced, see {@link chance}. */
  of(tuple: KnownTuple, field: string): number {
    if (this.mode !== 'shuffled') return this.sourced(tuple, field);
    const other = this.truth.rowsOf(tuple.collection)[this.deal(tuple.collection)[tuple.place] ?? tuple.place];
    return this.sourced(other ?? tuple, field);
  }

  /**
   * Probability that a model with this curve is right about rows judged together, which are as hard as the hardest. Under
   * `flat` it is the mean over the collection, the same for all: the model's mean accuracy does not change with the mode.
   */
  chance(tuples: readonly KnownTuple[], field: string, name: string, curve: (difficulty: number) => number): number {
    if (this.mode !== 'flat') return curve(this.hardest(tuples, field));
    const [first] = tuples;
    if (first === undefined) return curve(unknownEvidence);
    const rows = this.truth.rowsOf(first.collection);
    const key = [name, first.collection, field, rows.length, tuples.length > 1].join('\n');
    let mean = this.means.get(key);
    if (mean === undefined) {
      const partner = tuples.length > 1 ? this.deal(first.collection) : undefined;
      const sum = rows.reduce((total, row, at) => {
        const other = partner === undefined ? undefined : rows[partner[at] ?? at];
        return total + curve(this.hardest(other === undefined ? [row] : [row, other], field));
      }, 0);
      mean = sum / Math.max(1, rows.length);
      this.means.set(key, mean);
    }
    return mean;
  }

  private hardest(tuples: readonly KnownTuple[], field: string): number {
    return Math.max(...tuples.map((tuple) => this.of(tuple, field)));
  }

  private sourced(tuple: KnownTuple, field: string): number {
    const evidence = tuple.evidence?.[field] ?? unknownEvidence;
    const luck = drawsOf('difficulty', this.seed, tuple.collection, tuple.id, field).uniform();
    return evidenceWeight * (1 - Math.min(1, Math.max(0, evidence))) + (1 - evidenceWeight) * luck;
  }

  /** A seeded permutation of a collection's rows (Fisher–Yates). */
  private deal(collection: string): Uint32Array {
    const size = this.truth.rowsOf(collection).length;
    const known = this.dealt.get(collection);
    if (known?.length === size) return known;
    const random = drawsOf('deal', this.seed, collection);
    const order = Uint32Array.from({ length: size }, (_, at) => at);
    for (let at = size - 1; at > 0; at--) {
      const other = Math.floor(random.uniform() * (at + 1));
      [order[at], order[other]] = [order[other] ?? 0, order[at] ?? 0];
    }
    this.dealt.set(collection, order);
    return order;
  }
}
