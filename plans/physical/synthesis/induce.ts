/** Rule induction from labelled rows: every family is fitted, judged on rows that it has not seen, and the best one kept. */
import { shareInterval } from '../../evaluation/intervals.js';
import { accuracy, macroF1 } from '../../evaluation/labels.js';
import { mulberry32 } from '../../tuning/numeric/random.js';
import type { Interval } from '../cascade/bounds/clopper-pearson.js';
import { weighWords } from '../cascade/fitted/lexicon.js';
import { learnDirection } from '../cascade/fitted/nearness.js';
import { learnList, type RuleColumns } from './learn-list.js';
import { type RuleProgram, type RuleRow, runRules, textOf, vectorOf, type Weighed } from './rules.js';

const folds = 5;
/** With fewer rows nothing can be said of rows unseen. */
const leastRows = 2 * folds;

export interface InductionColumns extends RuleColumns {
  /** Names of embeddings, where rows have them. */
  readonly vectors?: readonly string[];
}

export interface HeldOut {
  readonly rows: number;
  readonly accuracy: number;
  /** Exact, at 95 %; of one family, so a little kind to the best of several. */
  readonly interval: Interval;
  readonly macroF1: number;
  /** Accuracy of always naming the most frequent label. */
  readonly majority: number;
}

export interface Induced {
  /** Fitted to all rows. */
  readonly program: RuleProgram;
  /** By five-fold cross-validation; absent with fewer than ten rows or a single label, where the program is one answer. */
  readonly heldOut?: HeldOut;
}

type Family = (rows: readonly RuleRow[], labels: readonly string[]) => RuleProgram;

/**
 * The program that does best on rows unseen, by macro F1, then accuracy; the same for the same rows and seed.
 *
 * @throws RangeError without rows, or where rows and labels differ in number
 */
export function induceRules(
  rows: readonly RuleRow[],
  labels: readonly string[],
  columns: InductionColumns,
  seed: number,
): Induced {
  if (rows.length === 0 || rows.length !== labels.length)
    throw new RangeError('as many labels as rows, and at least one');
  if (rows.length < leastRows || new Set(labels).size === 1) {
    return { program: learnList(rows, labels, { texts: [], numbers: [] }) };
  }
  const fold = stratify(labels, seed);
  const judged = families(columns).map((fit) => ({ fit, heldOut: judge(fit, rows, labels, fold) }));
  const best = judged.reduce((a, b) => (isBetter(b.heldOut, a.heldOut) ? b : a));
  return { program: best.fit(rows, labels), heldOut: best.heldOut };
}

function isBetter(a: HeldOut, b: HeldOut): boolean {
  return a.macroF1 > b.macroF1 || (a.macroF1 === b.macroF1 && a.accuracy > b.accuracy);
}

function families(columns: InductionColumns): readonly Family[] {
  return [
    (rows, labels) => learnList(rows, labels, columns),
    ...columns.texts.map(
      (column): Family =>
        (rows, labels) => {
          const texts = rows.map((row) => textOf(row, column));
          return { kind: 'words', column, of: eachLabel(labels, (isLabel) => weighWords(texts, isLabel)) };
        },
    ),
    ...(columns.vectors ?? []).map(
      (column): Family =>
        (rows, labels) => {
          const vectors = rows.map((row) => vectorOf(row, column));
          return { kind: 'nearness', column, of: eachLabel(labels, (isLabel) => learnDirection(vectors, isLabel)) };
        },
    ),
  ];
}

/** Each label against all others. */
function eachLabel<T>(labels: readonly string[], learn: (isLabel: readonly boolean[]) => T): readonly Weighed<T>[] {
  const known = [...new Set(labels)].sort();
  return known.map((label) => ({ label, by: learn(labels.map((one) => one === label)) }));
}

function judge(fit: Family, rows: readonly RuleRow[], labels: readonly string[], fold: readonly number[]): HeldOut {
  const named = new Array<string>(rows.length);
  for (let at = 0; at < folds; at++) {
    const seen = [...rows.keys()].filter((row) => fold[row] !== at);
    const run = runRules(
      fit(
        seen.map((row) => rows[row] as RuleRow),
        seen.map((row) => labels[row] as string),
      ),
    );
    for (const [row, values] of rows.entries()) if (fold[row] === at) named[row] = run(values).label;
  }
  const right = named.filter((label, at) => label === labels[at]).length;
  const most = Math.max(...[...new Set(labels)].map((label) => labels.filter((one) => one === label).length));
  return {
    rows: rows.length,
    accuracy: accuracy(named, labels),
    interval: shareInterval(right, rows.length),
    macroF1: macroF1(named, labels),
    majority: most / rows.length,
  };
}

/** Fold of each row: rows of one label are dealt out in turn, in an order drawn by the seed. */
function stratify(labels: readonly string[], seed: number): readonly number[] {
  const random = mulberry32(seed);
  const order = labels.map((label, row) => ({ label, row, drawn: random.uniform() }));
  order.sort((a, b) => (a.label < b.label ? -1 : a.label > b.label ? 1 : a.drawn - b.drawn));
  const fold = new Array<number>(labels.length);
  order.forEach(({ row }, at) => (fold[row] = at % folds));
  return fold;
}
