import { binomialCdf } from '../../../../../plans/physical/cascade/bounds/beta.js';
import { decide } from '../../../../../plans/physical/cascade/decide.js';
import { drawTraining } from '../../../../../plans/physical/cascade/fitted/training.js';
import { planSample } from '../../../../../plans/physical/cascade/sample.js';
import { learnThresholds } from '../../../../../plans/physical/cascade/thresholds.js';
import { deriveSeed, mulberry32, type Random } from '../../../../../plans/tuning/numeric/random.js';

/** Proxies that are fitted, over and over: how often the output of the whole, training tuples included, misses a target. */

const targets = { recall: 0.9, precision: 0.9, confidence: 0.9 };
const delta = 1 - targets.confidence;

export interface Tuples<T> {
  readonly readings: readonly T[];
  readonly labels: readonly boolean[];
}
type Fit<T> = (readings: readonly T[], labels: readonly boolean[]) => (reading: T) => number;

export interface Tally {
  readonly recallMissed: number;
  readonly precisionMissed: number;
  readonly callShare: number;
}

/** `split`: thresholds are learned on other tuples than the proxy was fitted to; without it, on the same ones. */
export function simulate<T>(
  { readings, labels }: Tuples<T>,
  fit: Fit<T>,
  runs: number,
  budget: number,
  split = true,
): Tally {
  const size = labels.length;
  const tally = { recallMissed: 0, precisionMissed: 0, calls: 0 };
  for (let run = 0; run < runs; run++) {
    const seed = deriveSeed(5, run);
    const training = drawTraining(size, seed);
    const known = new Set(training);
    const labelOf = (at: number): boolean => labels[at] === true;
    const score = fit(
      training.map((at) => readings[at] as T),
      training.map(labelOf),
    );
    const others = labels.map((_, at) => at).filter((at) => !split || !known.has(at));
    const scores = others.map((at) => score(readings[at] as T));
    const drawn = planSample({ scores, budget, seed, scheme: 'uniform' });
    const plan = split ? drawn : { ...drawn, indices: training, weights: training.map(() => 1) };
    const learned = learnThresholds({
      scores,
      plan,
      labels: plan.indices.map((at) => labelOf(others[at] as number)),
      targets,
    });
    const asked = new Set([...training, ...plan.indices.map((at) => others[at] as number)]);
    const counts = { positives: 0, found: 0, wrong: 0 };
    for (const [at, index] of others.entries()) {
      const said = asked.has(index) ? 'ask' : decide(learned, scores[at] as number);
      if (said === 'ask') asked.add(index);
      else if (said === 'accept' && !labelOf(index)) counts.wrong++;
      if (said === 'reject' && labelOf(index)) counts.found--;
    }
    for (const label of labels) if (label) counts.positives++;
    const found = counts.positives + counts.found;
    if (found / counts.positives < targets.recall) tally.recallMissed++;
    if (found + counts.wrong > 0 && found / (found + counts.wrong) < targets.precision) tally.precisionMissed++;
    tally.calls += asked.size;
  }
  return { ...tally, callShare: tally.calls / (runs * size) };
}

/** Whether a one-sided binomial test at 1 % rejects «the failure rate is at most δ». */
export const rejected = (failures: number, runs: number): boolean => 1 - binomialCdf(failures - 1, runs, delta) < 0.01;

/** Gaussian clouds: the first axis tells, as far as `distance` says; a share of the positives hides among the negatives. */
export function clouds(
  size: number,
  axes: number,
  distance: number,
  prevalence: number,
  hidden: number,
): Tuples<Float64Array> {
  const random = mulberry32(17);
  const labels = Array.from({ length: size }, () => random.uniform() < prevalence);
  const readings = labels.map((label) => {
    const shows = label && random.uniform() >= hidden;
    return Float64Array.from({ length: axes }, (_, at) => random.normal() + (at === 0 && shows ? distance : 0));
  });
  return { readings, labels };
}

/** Short texts: some words go with a true answer. */
export function sentences(size: number, telling: number): Tuples<string> {
  const random = mulberry32(23);
  const pick = (from: Random, kind: string, count: number): string =>
    `${kind}${String(Math.floor(from.uniform() * count))}`;
  const labels = Array.from({ length: size }, () => random.uniform() < 0.35);
  const readings = labels.map((label) =>
    Array.from({ length: 5 }, () =>
      random.uniform() < telling ? pick(random, label ? 'hot' : 'cold', 6) : pick(random, 'plain', 30),
    ).join(' '),
  );
  return { readings, labels };
}
