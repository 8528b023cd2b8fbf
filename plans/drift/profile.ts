/** What an input looks like: the statistics for which a plan that was made for it counts as valid. */
import { inputFeatures } from '../physical/routed/inputs.js';
import { type QuantileSketch, sketchScores } from '../physical/router/percentiles.js';
import { type Scorer, scoreRows } from '../physical/router/scorer.js';
import { entropyOf, kindOf, wordVector } from './text-kinds.js';

/** Inputs that a profile is made of, at most: its sketches then hold each of them. */
export const mostProfiled = 256;
/** Fewer say nothing about a distribution. */
export const leastProfiled = 30;
/** Vectors kept of them: their comparison takes the square of the number. */
const mostVectors = 96;

/** Plain data, some tens of kilobytes as JSON. */
export interface DataProfile {
  readonly v: 1;
  /** Distinct inputs of the call. */
  readonly inputs: number;
  /** Of which so many were looked at. */
  readonly profiled: number;
  /** Features by the names that routers know, `entropy` of each text in bits a character among them. */
  readonly features: Readonly<Record<string, QuantileSketch>>;
  /** By the scorer of the plan. */
  readonly scores: QuantileSketch;
  /** Share of texts of each language or script, by its name. */
  readonly kinds: Readonly<Record<string, number>>;
  /** Word vectors of some inputs. */
  readonly words: readonly (readonly number[])[];
}

/** Whether it is a profile that this version can compare. */
export function isProfile(value: { readonly v: number } | undefined): value is DataProfile {
  return value?.v === 1;
}

/** @param rows texts of each input that is looked at, drawn from all `inputs` of them; at least one */
export function profileOf(rows: readonly (readonly string[])[], inputs: number, scorer: Scorer): DataProfile {
  const table = inputFeatures(rows);
  const whole = rows.map((values) => values.join('\n'));
  const columns: (readonly [string, ArrayLike<number>])[] = [
    ...table.names.map((name, at) => [name, table.values[at] ?? []] as const),
    ['entropy', whole.map(entropyOf)],
  ];
  const sketch = (values: ArrayLike<number>): QuantileSketch => sketchScores(values).map((value) => rounded(value, 5));
  return {
    v: 1,
    inputs,
    profiled: rows.length,
    features: Object.fromEntries(columns.map(([name, values]) => [name, sketch(values)])),
    scores: sketch(scoreRows(scorer, table)),
    kinds: sharesOf(whole.map(kindOf)),
    words: whole.slice(0, mostVectors).map((text) => wordVector(text).map((value) => rounded(value, 3))),
  };
}

function sharesOf(kinds: readonly string[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const kind of kinds) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return Object.fromEntries([...counts].sort().map(([kind, count]) => [kind, rounded(count / kinds.length, 5)]));
}

/** To so many digits that say something. */
function rounded(value: number, digits: number): number {
  return Number(value.toPrecision(digits));
}
