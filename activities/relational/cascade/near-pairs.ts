/** The pairs of a join by how alike their values are: each value is embedded once, whatever the number of its pairs. */
import type { CascadeStepInput } from '../../../plans/protocol/activities.js';
import { surestPairs } from '../../../plans/physical/cascade/rare.js';
import { cosineOf, likenessOf, type ValuePairs } from '../../../plans/physical/pairs/likeness.js';
import type { CascadeJob, CascadePorts } from './files.js';
import { eachPair, readSideAnswers, readSides, type Sides, writePairScores } from './pair-values.js';

/** Scores all pairs but those that are most alike, and returns these: the model is asked about them first. */
export async function scoreNearPairs(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
): Promise<ReadonlySet<number>> {
  const sides = await readSides(ports, input, job);
  const scores = likenessOf(await withCosines(ports, input, job, sides));
  const order = Array.from(scores.keys())
    .filter((at) => !Number.isNaN(scores[at]))
    .sort((a, b) => (scores[b] ?? 0) - (scores[a] ?? 0) || a - b);
  const surest = new Set(order.slice(0, surestPairs(order.length, sides.larger)));
  await writePairScores(ports, input, job, (at) => (surest.has(at) ? Number.NaN : (scores[at] ?? Number.NaN)));
  return surest;
}

async function withCosines(
  ports: CascadePorts,
  input: CascadeStepInput,
  job: CascadeJob,
  sides: Sides,
): Promise<ValuePairs> {
  const { left, right } = sides;
  const vectors = new Map(
    Array.from(await readSideAnswers(ports, input, job, sides), ([at, vector]) => [
      at,
      Float32Array.from(vector as readonly number[]),
    ]),
  );
  const cosine = new Float32Array(left.length);
  await eachPair(sides, (at) => {
    cosine[at] = cosineOf(vectors.get(left[at] ?? -1), vectors.get(right[at] ?? -1));
  });
  return { left, right, cosine };
}
