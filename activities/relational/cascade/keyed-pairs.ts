/** The pairs of a join by the keys of their values: the model names those of each value once, by itself. */
import type { CascadeStepInput } from '../../../plans/protocol/activities.js';
import { keyLikeness, keysOf, sharesKey, spelled } from '../../../plans/physical/pairs/keys.js';
import type { CascadeJob, CascadePorts } from './files.js';
import { eachPair, readSideAnswers, readSides, writePairScores } from './pair-values.js';

/**
 * Scores all pairs but those that share a key, and returns these: the model is asked about them first. A pair of a value
 * whose keys are not known has no score.
 */
export async function scoreKeyedPairs(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
): Promise<ReadonlySet<number>> {
  const sides = await readSides(ports, input, job);
  const keys = new Map(
    Array.from(await readSideAnswers(ports, input, job, sides), ([at, answer]) => [at, spelled(keysOf(answer))]),
  );
  const scores = new Float64Array(sides.left.length).fill(Number.NaN);
  const matched = new Set<number>();
  const tested = job.strategy.targets.recall !== undefined;
  await eachPair(sides, (at) => {
    const left = keys.get(sides.left[at] ?? -1);
    const right = keys.get(sides.right[at] ?? -1);
    if (left === undefined || right === undefined) return;
    if (sharesKey(left, right)) matched.add(at);
    // nobody looks at the likeness of pairs that are dropped
    else scores[at] = tested ? keyLikeness(left, right) : 0;
  });
  await writePairScores(ports, input, job, (at) => scores[at] ?? Number.NaN);
  return matched;
}
