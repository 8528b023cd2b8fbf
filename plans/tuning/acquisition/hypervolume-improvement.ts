/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { logCdf, logDensity, logImprovement, logSumExp } from '../numeric/normal.js';
import { freeBoxes } from '../objective/hypervolume.js';
import type { Point3 } from '../objective/hypervolume.js';
import { channelAt } from './channel.js';
import type { Channel, ChannelAt } from './channel.js';
import type { Acquisition } from './improvement.js';

/** Expected excess over each level, its slopes, all relative to the expected excess over 0. */
interface Excess {
  readonly value: Float64Array;
  readonly meanSlope: Float64Array;
  readonly deviationSlope: Float64Array;
  readonly logScale: number;
}

/** The boxes of one draw with their edges as indices of sorted levels: no level is evaluated twice. */
interface Boxes {
  readonly levels: readonly [Float64Array, Float64Array, Float64Array];
  /** Five indices a box: xLow, xHigh, yLow, zLow, zHigh. */
  readonly edges: Int32Array;
}

/**
 * Log noisy expected hypervolume improvement over the origin for three independent goals: the mean over draws of the exact
 * expectation, which is a sum over the boxes that the draw's front leaves free of products of expected excesses (Emmerich
 * et al. 2016; Daulton et al. 2021).
 */
export function logNoisyHypervolumeImprovement(
  goals: readonly [Channel, Channel, Channel],
  draws: number,
): Acquisition {
  const all = Array.from({ length: draws }, (_, s) => boxesOfDraw(goals, draws, s));
  const terms = new Float64Array(draws);
  return (features, known, slopes) => {
    const at = goals.map((goal) => channelAt(goal, draws, features, known)) as [ChannelAt, ChannelAt, ChannelAt];
    const gathered = all.map((boxes, s) => gather(boxes, at, s));
    gathered.forEach(({ logValue }, s) => (terms[s] = logValue));
    const total = logSumExp(terms);
    if (slopes && total > -Infinity)
      at.forEach((channel, k) => {
        const meanWeights = new Float64Array(draws);
        let deviationWeight = 0;
        gathered.forEach(({ meanSlopes, deviationSlopes }, s) => {
          const share = Math.exp(terms[s]! - total);
          meanWeights[s] = share * meanSlopes[k]!;
          deviationWeight += share * deviationSlopes[k]!;
        });
        channel.addSlopes(meanWeights, deviationWeight, slopes);
      });
    return total - Math.log(draws);
  };
}

function boxesOfDraw(goals: readonly [Channel, Channel, Channel], draws: number, s: number): Boxes {
  const count = goals[0].base.length / draws;
  const points = Array.from(
    { length: count },
    (_, i) => goals.map((goal) => goal.base[s * count + i]!) as unknown as Point3,
  );
  const boxes = freeBoxes(points);
  const xs = sortedLevels(boxes.flatMap(({ xLow, xHigh }) => [xLow, xHigh]));
  const ys = sortedLevels(boxes.map(({ yLow }) => yLow));
  const zs = sortedLevels(boxes.flatMap(({ zLow, zHigh }) => [zLow, zHigh]));
  const edges = boxes.flatMap(({ xLow, xHigh, yLow, zLow, zHigh }) => [
    xs.indexOf(xLow),
    xs.indexOf(xHigh),
    ys.indexOf(yLow),
    zs.indexOf(zLow),
    zs.indexOf(zHigh),
  ]);
  return { levels: [xs, ys, zs], edges: Int32Array.from(edges) };
}

function sortedLevels(values: readonly number[]): Float64Array {
  return Float64Array.from(new Set([0, ...values])).sort();
}

function excessOver(levels: Float64Array, mean: number, deviation: number): Excess {
  const value = new Float64Array(levels.length);
  const meanSlope = new Float64Array(levels.length);
  const deviationSlope = new Float64Array(levels.length);
  const logScale = logImprovement(mean / deviation) + Math.log(deviation);
  for (let i = 0; i < levels.length; i++) {
    if (levels[i] === Infinity) continue;
    const u = (mean - levels[i]!) / deviation;
    value[i] = Math.exp(logImprovement(u) + Math.log(deviation) - logScale);
    meanSlope[i] = Math.exp(logCdf(u) - logScale);
    deviationSlope[i] = Math.exp(logDensity(u) - logScale);
  }
  return { value, meanSlope, deviationSlope, logScale };
}

interface Gathered {
  readonly logValue: number;
  /** ∂ ln value/∂ mean and /∂ deviation of each goal. */
  readonly meanSlopes: Float64Array;
  readonly deviationSlopes: Float64Array;
}

function gather({ levels, edges }: Boxes, at: readonly ChannelAt[], s: number): Gathered {
  const [x, y, z] = levels.map((level, k) => excessOver(level, at[k]!.means[s]!, at[k]!.deviation)) as [
    Excess,
    Excess,
    Excess,
  ];
  const meanSlopes = new Float64Array(3);
  const deviationSlopes = new Float64Array(3);
  let sum = 0;
  for (let b = 0; b < edges.length; b += 5) {
    const [xl, xh, yl, zl, zh] = [edges[b]!, edges[b + 1]!, edges[b + 2]!, edges[b + 3]!, edges[b + 4]!];
    const dx = x.value[xl]! - x.value[xh]!;
    const dy = y.value[yl]!;
    const dz = z.value[zl]! - z.value[zh]!;
    sum += dx * dy * dz;
    meanSlopes[0]! += (x.meanSlope[xl]! - x.meanSlope[xh]!) * dy * dz;
    meanSlopes[1]! += dx * y.meanSlope[yl]! * dz;
    meanSlopes[2]! += dx * dy * (z.meanSlope[zl]! - z.meanSlope[zh]!);
    deviationSlopes[0]! += (x.deviationSlope[xl]! - x.deviationSlope[xh]!) * dy * dz;
    deviationSlopes[1]! += dx * y.deviationSlope[yl]! * dz;
    deviationSlopes[2]! += dx * dy * (z.deviationSlope[zl]! - z.deviationSlope[zh]!);
  }
  const safe = Math.max(sum, 1e-290);
  return {
    logValue: Math.log(safe) + x.logScale + y.logScale + z.logScale,
    meanSlopes: meanSlopes.map((slope) => slope / safe),
    deviationSlopes: deviationSlopes.map((slope) => slope / safe),
  };
}
