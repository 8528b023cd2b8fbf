/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import type { Moments, Sampler } from '../surrogate/sampler.js';

/**
 * One criterion along the search: shift + scale · f + known, where f is a sampled surrogate in standard units and known a
 * term that is computed, not learned. Either may be missing.
 */
export interface Channel {
  readonly sampler?: Sampler;
  readonly shift: number;
  readonly scale: number;
  /** Index into the known terms, when there is one. */
  readonly known?: number;
  /** Values at the base points, draw after draw, known terms included. */
  readonly base: Float64Array;
}

/** Terms that follow from a configuration without a trial, all at once. */
export interface KnownTerms {
  values(coordinates: Float64Array): Float64Array;
  readonly count: number;
}

/** A channel at a point: mean of each draw, and the standard deviation that all share. */
export interface ChannelAt {
  readonly means: Float64Array;
  readonly deviation: number;
  addSlopes(meanWeights: Float64Array, deviationWeight: number, slopes: Slopes): void;
}

/** Where slopes are gathered: with respect to features, and to each known term. */
export interface Slopes {
  readonly features: Float64Array;
  readonly known: Float64Array;
}

/** A channel without a surrogate is taken as this uncertain, so that the formulas of the uncertain case hold. */
const knownDeviation = 1e-3;

export function channelAt(channel: Channel, draws: number, features: Float64Array, known: Float64Array): ChannelAt {
  const moments: Moments | undefined = channel.sampler?.moments(features);
  const offset = channel.shift + (channel.known === undefined ? 0 : known[channel.known]!);
  const means = moments
    ? moments.means.map((mean) => offset + channel.scale * mean)
    : new Float64Array(draws).fill(offset);
  const deviation = moments ? Math.abs(channel.scale) * Math.sqrt(moments.variance) : knownDeviation;
  return {
    means,
    deviation,
    addSlopes(meanWeights, deviationWeight, slopes) {
      if (channel.known !== undefined)
        slopes.known[channel.known]! += meanWeights.reduce((sum, weight) => sum + weight, 0);
      if (!moments) return;
      moments.addSlopes(
        meanWeights.map((weight) => weight * channel.scale),
        (deviationWeight * channel.scale ** 2) / (2 * deviation),
        slopes.features,
      );
    },
  };
}
