/** Synthetic proxy scores with known labels: what a cascade may meet, the easy and the hostile. */
import { mulberry32 } from '../../plans/tuning/numeric/random.js';
import type { Random } from '../../plans/tuning/numeric/random.js';

export interface Population {
  readonly name: string;
  readonly scores: Float64Array;
  readonly labels: Uint8Array;
}

type Draw = (random: Random) => number;

interface Recipe {
  readonly prevalence: number;
  readonly positive: Draw;
  readonly negative: Draw;
}

const beta =
  (a: number, b: number): Draw =>
  (random) => {
    const x = gamma(random, a);
    return x / (x + gamma(random, b));
  };
const rounded =
  (draw: Draw, levels: number): Draw =>
  (random) =>
    Math.round(draw(random) * levels) / levels;
/** One in `1 / share` from `other`. */
const mixed =
  (draw: Draw, share: number, other: Draw): Draw =>
  (random) =>
    random.uniform() < share ? other(random) : draw(random);

const recipes = {
  informative: { prevalence: 0.3, positive: beta(5, 2), negative: beta(2, 5) },
  sharp: { prevalence: 0.3, positive: beta(8, 1.5), negative: beta(1, 8) },
  'rare 5 %': { prevalence: 0.05, positive: beta(8, 1.5), negative: beta(1, 8) },
  'rare 1 %': { prevalence: 0.01, positive: beta(8, 1.5), negative: beta(1, 8) },
  skewed: { prevalence: 0.2, positive: beta(1, 2), negative: beta(0.2, 8) },
  uninformative: { prevalence: 0.3, positive: beta(2, 5), negative: beta(2, 5) },
  'anti-correlated': { prevalence: 0.3, positive: beta(2, 5), negative: beta(5, 2) },
  discrete: { prevalence: 0.3, positive: rounded(beta(5, 2), 4), negative: rounded(beta(2, 5), 4) },
  // A few more positives than may be missed lie at the very bottom, as many false friends at the very top.
  buried: {
    prevalence: 0.3,
    positive: mixed(beta(8, 1.5), 0.12, beta(1, 60)),
    negative: mixed(beta(1, 8), 0.05, beta(60, 1)),
  },
  'all positive': { prevalence: 1, positive: beta(2, 2), negative: beta(2, 2) },
  'none positive': { prevalence: 0, positive: beta(2, 2), negative: beta(2, 2) },
} as const satisfies Record<string, Recipe>;

export type PopulationName = keyof typeof recipes;

export const populationNames = Object.keys(recipes) as readonly PopulationName[];

/** The same tuples for the same name, size and seed. */
export function population(name: PopulationName, size: number, seed: number): Population {
  const random = mulberry32(seed);
  const { prevalence, positive, negative }: Recipe = recipes[name];
  const labels = Uint8Array.from({ length: size }, () => (random.uniform() < prevalence ? 1 : 0));
  const scores = Float64Array.from(labels, (label) => (label === 1 ? positive : negative)(random));
  return { name, scores, labels };
}

/** Marsaglia and Tsang, "A simple method for generating gamma variables" (2000). */
function gamma(random: Random, shape: number): number {
  if (shape < 1) return gamma(random, shape + 1) * (1 - random.uniform()) ** (1 / shape);
  const d = shape - 1 / 3;
  const c = 1 / Math.sqrt(9 * d);
  for (;;) {
    const x = random.normal();
    const v = (1 + c * x) ** 3;
    if (v > 0 && Math.log(1 - random.uniform()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
  }
}
