/** Difficulty of rows from their features, as a linear or a small tree form. Plain data, so that a plan can be printed and kept. */
import type { FeatureTable } from './features.js';

export type Scorer = LinearScorer | TreeScorer;

/** sigmoid(4·(bias + Σ weight·(x − mean)/scale − ½)): a line through [0, 1] that bends at its ends. */
export interface LinearScorer {
  readonly form: 'linear';
  readonly bias: number;
  readonly terms: readonly {
    readonly feature: string;
    readonly weight: number;
    readonly mean: number;
    readonly scale: number;
  }[];
}

export interface TreeScorer {
  readonly form: 'tree';
  readonly root: TreeNode;
}

export type TreeNode =
  | { readonly score: number }
  | { readonly feature: string; readonly below: number; readonly yes: TreeNode; readonly no: TreeNode };

/**
 * Scores in [0, 1], higher for rows that need more semantic capability.
 *
 * @throws RangeError for a feature that the table lacks
 */
export function scoreRows(scorer: Scorer, table: FeatureTable): Float64Array {
  const columns = new Map(table.names.map((name, at) => [name, table.values[at] as Float64Array]));
  const column = (feature: string): Float64Array => {
    const found = columns.get(feature);
    if (found === undefined) throw new RangeError(`the feature ${JSON.stringify(feature)} is not there`);
    return found;
  };
  if (scorer.form === 'tree') {
    const place = bind(scorer.root, column);
    return Float64Array.from({ length: table.rows }, (_, row) => place(row));
  }
  const sums = new Float64Array(table.rows).fill(scorer.bias);
  for (const { feature, weight, mean, scale } of scorer.terms) {
    const values = column(feature);
    for (let row = 0; row < sums.length; row++) {
      sums[row] = (sums[row] as number) + (weight * ((values[row] as number) - mean)) / scale;
    }
  }
  return sums.map((sum) => 1 / (1 + Math.exp(-4 * (sum - 0.5))));
}

function bind(node: TreeNode, column: (feature: string) => Float64Array): (row: number) => number {
  if ('score' in node) return () => node.score;
  const values = column(node.feature);
  const [yes, no] = [bind(node.yes, column), bind(node.no, column)];
  return (row) => ((values[row] as number) < node.below ? yes(row) : no(row));
}
