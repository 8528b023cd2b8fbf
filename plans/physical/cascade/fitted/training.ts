/** The tuples that a proxy is fitted to, apart from those that its thresholds are learned on. */
import { deriveSeed } from '../../../tuning/numeric/random.js';
import { planSample } from '../sample.js';

/** So many times the root of their number, within bounds: more make a better proxy, and cost a call each. */
const perRoot = 4;
const most = 500;
const mostShare = 0.2;
/** Keeps the draw apart from that of the sample, which has the same seed. */
const stream = 0x666974;

/**
 * Numbers of the tuples that the oracle answers for a proxy to be fitted to, ascending; the same for the same size and seed.
 * They are drawn uniformly, before any score. What is fitted to them is fixed when the sample is drawn among the others,
 * so the bounds on thresholds hold for the others whatever the fit is worth; the oracle's own answers to these tuples stand,
 * and can only raise recall and precision of the whole.
 */
export function drawTraining(size: number, seed: number): readonly number[] {
  const budget = trainingSize(size);
  const scores = new Float64Array(size);
  return planSample({ scores, budget, seed: deriveSeed(seed, stream), scheme: 'uniform' }).indices;
}

export function trainingSize(size: number): number {
  return Math.floor(Math.min(mostShare * size, perRoot * Math.sqrt(size), most));
}
