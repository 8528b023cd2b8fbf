/** Decision lists by greedy covering: the surest test first, what it covers taken away, until nothing sure is left. */
import {
  holds,
  patterns,
  type PatternName,
  type Rule,
  type RuleProgram,
  type RuleRow,
  type RuleTest,
  termSets,
  textOf,
} from './rules.js';

const mostRules = 8;
const leastCovered = 3;
/** Terms looked at of each column, the commonest first. */
const mostTerms = 400;
/** Thresholds looked at of each number and length. */
const cuts = 9;

/** Columns that rules may read. */
export interface RuleColumns {
  readonly texts: readonly string[];
  readonly numbers: readonly string[];
}

type List = Extract<RuleProgram, { readonly kind: 'list' }>;

/** A list for labelled rows; of equally sure tests the one that covers more, then the earlier. Needs at least one row. */
export function learnList(rows: readonly RuleRow[], labels: readonly string[], columns: RuleColumns): List {
  const known = [...new Set(labels)].sort();
  const terms = termSets();
  const found = candidates(rows, columns, terms).map((test) => ({
    test,
    covers: rows.flatMap((row, at) => (holds(test, row, terms) ? [at] : [])),
  }));
  const left = new Set(rows.keys());
  const rules: Rule[] = [];
  while (rules.length < mostRules && left.size > 0) {
    const rest = majority([...left], labels, known);
    let best: { readonly rule: Rule; readonly rows: readonly number[]; readonly gain: number } | undefined;
    for (const { test, covers } of found) {
      const inside = covers.filter((at) => left.has(at));
      if (inside.length < leastCovered) continue;
      const { label, confidence } = majority(inside, labels, known);
      // A rule is worth the rows that it gets right and the rest would not.
      const gain = confidence + inside.length * 1e-6;
      if (label === rest.label || gain <= (best?.gain ?? 0)) continue;
      best = { rule: { test, label, confidence }, rows: inside, gain };
    }
    if (best === undefined || best.rule.confidence <= 0.5) break;
    rules.push(best.rule);
    for (const at of best.rows) left.delete(at);
  }
  return { kind: 'list', rules, otherwise: majority(left.size > 0 ? [...left] : [...rows.keys()], labels, known) };
}

function majority(
  rows: readonly number[],
  labels: readonly string[],
  known: readonly string[],
): { readonly label: string; readonly confidence: number } {
  const counts = new Map<string, number>();
  for (const at of rows) counts.set(labels[at] ?? '', (counts.get(labels[at] ?? '') ?? 0) + 1);
  const best = known.reduce((a, b) => ((counts.get(b) ?? 0) > (counts.get(a) ?? 0) ? b : a));
  return { label: best, confidence: ((counts.get(best) ?? 0) + 1) / (rows.length + known.length) };
}

type Terms = ReturnType<typeof termSets>;

function candidates(rows: readonly RuleRow[], { texts, numbers }: RuleColumns, terms: Terms): readonly RuleTest[] {
  const ofTexts = texts.flatMap((column): readonly RuleTest[] => [
    ...commonTerms(rows, column, terms).map((term) => ({ kind: 'term', column, term }) as const),
    ...(Object.keys(patterns) as PatternName[]).map((pattern) => ({ kind: 'pattern', column, pattern }) as const),
    ...quantiles(rows.map((row) => textOf(row, column).length)).map(
      (than) => ({ kind: 'longer', column, than }) as const,
    ),
  ]);
  const ofNumbers = numbers.flatMap((column): readonly RuleTest[] =>
    quantiles(rows.map((row) => row.numbers[column] ?? null)).flatMap((threshold) => [
      { kind: 'below', column, threshold } as const,
      { kind: 'atLeast', column, threshold } as const,
    ]),
  );
  return [...ofTexts, ...ofNumbers];
}

function commonTerms(rows: readonly RuleRow[], column: string, terms: Terms): readonly string[] {
  const counts = new Map<string, number>();
  for (const row of rows) for (const term of terms(textOf(row, column))) counts.set(term, (counts.get(term) ?? 0) + 1);
  return [...counts]
    .filter(([, count]) => count >= leastCovered)
    .sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1))
    .slice(0, mostTerms)
    .map(([term]) => term);
}

/** Thresholds between the values that stand at evenly spaced ranks and those before them. */
function quantiles(values: readonly (number | null)[]): readonly number[] {
  const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
  const distinct = [...new Set(sorted)];
  const at = (share: number): number => sorted[Math.floor(share * sorted.length)] ?? Number.NaN;
  const places = Array.from({ length: cuts }, (_, i) => at((i + 1) / (cuts + 1)));
  return [...new Set(places)].flatMap((value) => {
    const before = distinct[distinct.indexOf(value) - 1];
    return before === undefined ? [] : [(before + value) / 2];
  });
}
