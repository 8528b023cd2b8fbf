/** Agreement of labels: by name, or as groups whose names do not matter. */
import { ratios } from './retrieval.js';

/** Share of rows with the right label. @throws RangeError where the lengths differ; no row gives NaN. */
export function accuracy(named: readonly string[], gold: readonly string[]): number {
  checkLengths(named, gold);
  return named.filter((label, at) => label === gold[at]).length / named.length;
}

/** F1 of one label against all others. */
export function labelF1(named: readonly string[], gold: readonly string[], label: string): number {
  checkLengths(named, gold);
  const count = (of: readonly string[]): number => of.filter((one) => one === label).length;
  const hits = named.filter((one, at) => one === label && gold[at] === label).length;
  return ratios(hits, count(named), count(gold)).f1;
}

/** Mean F1 over the labels of either side (Cars Q10: the caller lower-cases). */
export function macroF1(named: readonly string[], gold: readonly string[]): number {
  const labels = [...new Set([...named, ...gold])];
  return labels.reduce((sum, label) => sum + labelF1(named, gold, label), 0) / labels.length;
}

/**
 * Adjusted Rand index (Hubert and Arabie 1985): agreement of two groupings beyond chance, 1 for the same groups whatever
 * their names, about 0 by chance. Two groupings that are both one group, or both all apart, agree: 1.
 */
export function adjustedRandIndex(named: readonly string[], gold: readonly string[]): number {
  checkLengths(named, gold);
  const both = counts(named.map((label, at) => JSON.stringify([label, gold[at]])));
  const [pairs, ours, theirs] = [both, counts(named), counts(gold)].map((sizes) => sum(sizes, choose2)) as [
    number,
    number,
    number,
  ];
  const all = choose2(named.length);
  const expected = all === 0 ? 0 : (ours * theirs) / all;
  const most = (ours + theirs) / 2;
  return most === expected ? 1 : (pairs - expected) / (most - expected);
}

function counts(labels: readonly string[]): readonly number[] {
  const sizes = new Map<string, number>();
  for (const label of labels) sizes.set(label, (sizes.get(label) ?? 0) + 1);
  return [...sizes.values()];
}

function sum(values: readonly number[], of: (value: number) => number): number {
  return values.reduce((total, value) => total + of(value), 0);
}

function choose2(n: number): number {
  return (n * (n - 1)) / 2;
}

function checkLengths(a: readonly unknown[], b: readonly unknown[]): void {
  if (a.length !== b.length) throw new RangeError(`${a.length} rows are compared with ${b.length}`);
}
