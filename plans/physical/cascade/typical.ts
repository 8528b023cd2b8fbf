/** What a cascade is likely to ask of its oracle, before its proxy has answered anything. */
import { incompleteBeta } from './bounds/beta.js';
import { recommendSample } from './recommend.js';
import type { Targets } from './targets.js';

/**
 * A proxy as estimates take it: it agrees with the oracle on four of five inputs, and is as sure as it is right. Its chance of being
 * right is ½ + ½·x with x from Beta(2.4, 1.6). Measured beside it (bench `operators`): two proxies, three levels of targets.
 */
const surety = { a: 2.4, b: 1.6 } as const;

/** Beyond so many inputs the share hardly changes. */
const most = 20_000;
/** Places at which the quantiles of the surety are kept. */
const steps = 256;

let quantiles: Float64Array | undefined;

/** Quantiles of the surety at (i + ½) / steps, by bisection. */
function suretyQuantiles(): Float64Array {
  quantiles ??= Float64Array.from({ length: steps }, (_, at) => {
    const wanted = (at + 0.5) / steps;
    let [low, high] = [0, 1];
    for (let turn = 0; turn < 40; turn++) {
      const middle = (low + high) / 2;
      if (incompleteBeta(middle, surety.a, surety.b) < wanted) low = middle;
      else high = middle;
    }
    return (low + high) / 2;
  });
  return quantiles;
}

/**
 * Share of `inputs` that the oracle is asked about, in (0, 1], sample included, with a proxy as usual and a share `selectivity` of
 * positives among its answers. 1 where no threshold can be shown.
 */
export function typicalOracleShare(inputs: number, selectivity: number, targets: Targets): number {
  const size = Math.min(inputs, most);
  if (size === 0) return 1;
  const places = suretyQuantiles();
  const positives = Math.round(size * selectivity);
  const scores = Float64Array.from({ length: size }, (_, at) => {
    // 97 is prime to the number of places: both kinds of answers meet every place
    const right = 0.5 + 0.5 * (places[(at * 97) % steps] ?? 0.5);
    return at < positives ? right : 1 - right;
  });
  return recommendSample(scores, targets).expectedOracleCalls / size;
}
