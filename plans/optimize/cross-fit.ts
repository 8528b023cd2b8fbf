/** Fits what is fitted to labels so that each row is judged by a fit that has not seen it (cross-fitting). */
/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { FeatureTable } from '../physical/router/features.js';
import { fitScorer } from '../physical/router/fit-scorer.js';
import { type Scorer, scoreRows } from '../physical/router/scorer.js';
import { induceRules, type InductionColumns } from '../physical/synthesis/induce.js';
import { type RuleAnswer, type RuleProgram, type RuleRow, runRules } from '../physical/synthesis/rules.js';
import { mulberry32 } from '../tuning/numeric/random.js';

const folds = 5;
/** With fewer rows each fit would see too little. */
const leastRows = 2 * folds;

/** Rules fitted to all rows, and for each row what rules fitted to the other folds say; undefined where nothing can be learned. */
export function crossFitRules(
  rows: readonly RuleRow[],
  labels: readonly string[],
  columns: InductionColumns,
  seed: number,
): { readonly program: RuleProgram; readonly answers: readonly RuleAnswer[] } | undefined {
  if (rows.length < leastRows || new Set(labels).size < 2) return undefined;
  const fold = foldsOf(rows.length, seed);
  const answers = new Array<RuleAnswer>(rows.length);
  for (let at = 0; at < folds; at++) {
    const seen = [...rows.keys()].filter((row) => fold[row] !== at);
    const { program } = induceRules(
      seen.map((row) => rows[row]!),
      seen.map((row) => labels[row]!),
      columns,
      seed,
    );
    const answer = runRules(program);
    for (const [row, values] of rows.entries()) if (fold[row] === at) answers[row] = answer(values);
  }
  return { program: induceRules(rows, labels, columns, seed).program, answers };
}

/** A scorer fitted to all rows, and the scores of each row by one fitted to the other folds. */
export function crossFitScorer(
  table: FeatureTable,
  difficulty: Float64Array,
  seed: number,
): { readonly scorer: Scorer; readonly scores: Float64Array } {
  const fold = foldsOf(table.rows, seed);
  const scores = new Float64Array(table.rows);
  for (let at = 0; at < folds; at++) {
    // A row of unknown difficulty is not fitted to.
    const others = difficulty.map((value, row) => (fold[row] === at ? Number.NaN : value));
    const said = scoreRows(fitScorer(table, others, seed), table);
    for (let row = 0; row < scores.length; row++) if (fold[row] === at) scores[row] = said[row]!;
  }
  return { scorer: fitScorer(table, difficulty, seed), scores };
}

/** Fold of each row; folds differ by one row in size at most. */
function foldsOf(rows: number, seed: number): Uint8Array {
  const random = mulberry32(seed);
  const order = Array.from({ length: rows }, (_, row) => ({ row, drawn: random.uniform() }));
  order.sort((a, b) => a.drawn - b.drawn);
  const fold = new Uint8Array(rows);
  order.forEach(({ row }, at) => (fold[row] = at % folds));
  return fold;
}
