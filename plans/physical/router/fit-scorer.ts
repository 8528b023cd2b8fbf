/** Fits a scorer to difficulties: a ridge regression and a small tree, of which the one that predicts rows unseen better stays. */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { factorWithJitter, solve } from '../../tuning/numeric/cholesky.js';
import { mulberry32 } from '../../tuning/numeric/random.js';
import type { FeatureTable } from './features.js';
import { type Scorer, type TreeNode, scoreRows } from './scorer.js';

const folds = 5;
/** Ridge penalty in rows: so many rows that say "no influence". */
const penalty = 5;
const deepest = 3;
const leastLeaf = 5;
/** Thresholds tried of each feature in each node. */
const cuts = 16;

/** Fitted to nothing, or to rows that are all alike: every row is as hard as every other. */
const flat: Scorer = { form: 'linear', bias: 0.5, terms: [] };

/**
 * What a scorer is fitted to: how dear an implementation a row needs, from which of them were right on the validation rows.
 *
 * @param right `right[k][row]`: whether the implementation of bucket k, cheapest first, was right about the row
 * @returns in [0, 1] for each row: the bucket of the first that was right over N − 1; 0 with one implementation; NaN where none
 * was right, since the row then says nothing about routing
 */
export function difficulties(right: readonly (readonly boolean[])[]): Float64Array {
  const rows = right[0]?.length ?? 0;
  return Float64Array.from({ length: rows }, (_, row) => {
    const first = right.findIndex((of) => of[row] === true);
    return first < 0 ? Number.NaN : first / Math.max(1, right.length - 1);
  });
}

/**
 * A scorer for the features of a table. Rows whose difficulty is NaN are left out; with fewer than ten others, or all of them
 * alike, scores are constant and routing goes by the order of rows.
 */
export function fitScorer(table: FeatureTable, difficulty: Float64Array, seed: number): Scorer {
  const rows = Array.from(difficulty.keys()).filter((row) => !Number.isNaN(difficulty[row]!));
  if (rows.length < 2 * folds || rows.every((row) => difficulty[row] === difficulty[rows[0]!])) return flat;
  const random = mulberry32(seed);
  const fold = new Map(rows.map((row) => [row, Math.floor(random.uniform() * folds)]));
  const errors = forms.map(({ fit }) => {
    let sum = 0;
    for (let at = 0; at < folds; at++) {
      const scores = scoreRows(
        fit(
          table,
          difficulty,
          rows.filter((row) => fold.get(row) !== at),
        ),
        table,
      );
      for (const row of rows) if (fold.get(row) === at) sum += (scores[row]! - difficulty[row]!) ** 2;
    }
    return sum;
  });
  return forms[errors[1]! < errors[0]! ? 1 : 0].fit(table, difficulty, rows);
}

const forms = [{ fit: fitLinear }, { fit: fitTree }] as const;

function fitLinear(table: FeatureTable, difficulty: Float64Array, rows: readonly number[]): Scorer {
  if (rows.length === 0) return flat;
  const shapes = table.values.map((values) => {
    const mean = rows.reduce((sum, row) => sum + values[row]!, 0) / rows.length;
    const scale = Math.sqrt(rows.reduce((sum, row) => sum + (values[row]! - mean) ** 2, 0) / rows.length);
    return { mean, scale };
  });
  const used = shapes.flatMap(({ scale }, at) => (scale > 1e-9 ? [at] : []));
  const bias = rows.reduce((sum, row) => sum + difficulty[row]!, 0) / rows.length;
  const size = used.length;
  const matrix = new Float64Array(size * size);
  const right = new Float64Array(size);
  const x = new Float64Array(size);
  for (const row of rows) {
    used.forEach((at, i) => (x[i] = (table.values[at]![row]! - shapes[at]!.mean) / shapes[at]!.scale));
    for (let i = 0; i < size; i++) {
      right[i]! += x[i]! * (difficulty[row]! - bias);
      for (let j = 0; j < size; j++) matrix[i * size + j]! += x[i]! * x[j]!;
    }
  }
  for (let i = 0; i < size; i++) matrix[i * size + i]! += penalty;
  const factored = size === 0 ? undefined : factorWithJitter(matrix, size);
  const weights = factored === undefined ? new Float64Array(size) : solve(factored, right);
  const terms = used.map((at, i) => ({ feature: table.names[at]!, weight: weights[i]!, ...shapes[at]! }));
  return { form: 'linear', bias, terms };
}

function fitTree(table: FeatureTable, difficulty: Float64Array, rows: readonly number[]): Scorer {
  return rows.length === 0 ? flat : { form: 'tree', root: grow(table, difficulty, rows, 0) };
}

function grow(table: FeatureTable, difficulty: Float64Array, rows: readonly number[], depth: number): TreeNode {
  const whole = moments(difficulty, rows);
  const leaf = { score: whole.mean };
  if (depth === deepest || whole.error < 1e-12) return leaf;
  let best: { feature: number; below: number; error: number } | undefined;
  for (const [feature, values] of table.values.entries()) {
    const sorted = Float64Array.from(rows, (row) => values[row]!).sort();
    const tried = new Set(
      Array.from({ length: cuts }, (_, at) => sorted[Math.floor(((at + 1) * sorted.length) / (cuts + 1))]!),
    );
    for (const below of tried) {
      const yes = rows.filter((row) => values[row]! < below);
      if (yes.length < leastLeaf || rows.length - yes.length < leastLeaf) continue;
      const no = rows.filter((row) => values[row]! >= below);
      const error = moments(difficulty, yes).error + moments(difficulty, no).error;
      if (error < (best?.error ?? whole.error - 1e-12)) best = { feature, below, error };
    }
  }
  if (best === undefined) return leaf;
  const { feature, below } = best;
  const side = (yes: boolean): TreeNode => {
    const inside = rows.filter((row) => table.values[feature]![row]! < below === yes);
    return grow(table, difficulty, inside, depth + 1);
  };
  return { feature: table.names[feature]!, below, yes: side(true), no: side(false) };
}

function moments(difficulty: Float64Array, rows: readonly number[]): { mean: number; error: number } {
  const mean = rows.reduce((sum, row) => sum + difficulty[row]!, 0) / rows.length;
  return { mean, error: rows.reduce((sum, row) => sum + (difficulty[row]! - mean) ** 2, 0) };
}
