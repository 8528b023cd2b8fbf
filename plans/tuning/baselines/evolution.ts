/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { Encoding } from '../encoding.js';
import { mulberry32 } from '../numeric/random.js';
import { paretoFront } from '../objective/hypervolume.js';
import type { Criteria } from '../objective/objective.js';
import { scoreOf } from '../objective/objective.js';
import type { Observed } from '../observations.js';

/** Parents kept. */
const parents = 5;

/**
 * A baseline without a model: a child of two of the best configurations so far (the front first, when there are several
 * goals; those that break a limit last), uniform crossover, then normal steps. Undefined before anything was measured, or
 * when no new child is found.
 */
export function evolve(
  encoding: Encoding,
  criteria: Criteria,
  { measured }: Observed,
  seed: number,
  isNew: (coordinates: Float64Array) => boolean,
): Float64Array | undefined {
  if (measured.length === 0) return undefined;
  const scores = measured.map(({ metrics }) => scoreOf(criteria, metrics));
  const excess = scores.map(({ limits }) => limits.reduce((sum, limit) => sum + Math.max(0, limit), 0));
  const front = new Set(paretoFront(scores.map(({ goals }) => goals)));
  const total = scores.map(({ goals }) => goals.reduce((sum, goal) => sum + goal, 0));
  const order = measured
    .map((_, i) => i)
    .sort((a, b) => excess[a]! - excess[b]! || Number(front.has(b)) - Number(front.has(a)) || total[b]! - total[a]!);
  const random = mulberry32(seed);
  const pick = () => measured[order[Math.floor(random.uniform() * Math.min(parents, order.length))]!]!.coordinates;
  for (let attempt = 0; attempt < 100; attempt++) {
    const [mother, father] = [pick(), pick()];
    const child = mother.map((value, j) =>
      mutate(random.uniform() < 0.5 ? value : father[j]!, encoding.choices[j]!, random),
    );
    if (isNew(child)) return child;
  }
  return undefined;
}

function mutate(value: number, choices: number, random: ReturnType<typeof mulberry32>): number {
  if (random.uniform() > 0.5) return value;
  if (choices > 0) return Math.min(choices - 1, Math.floor(random.uniform() * choices));
  return Math.min(1, Math.max(0, value + 0.15 * random.normal()));
}
