/**
 * Where text is: boxes from the probability map of a DB network (M. Liao et al., "Real-time Scene Text Detection with
 * Differentiable Binarization", AAAI 2020, section 3.5).
 */
import type { Point } from '../../../../activities/ports.js';
import { grown, leastRectangle, type Rectangle } from './geometry.js';

/** Probability from which a pixel is text, and that a region must reach on the mean. */
const pixelThreshold = 0.3;
const regionThreshold = 0.5;
/** How far regions, which the network shrinks, are grown: area × ratio / perimeter. */
const unclipRatio = 1.8;
/** Shorter sides, in pixels of the map, are no text. */
const leastSide = 3;

interface Region {
  readonly outline: readonly Point[];
  readonly score: number;
}

/** Regions of connected text pixels (4-neighbourhood) with the pixels at their rims. */
function regionsOf(map: Float32Array, width: number, height: number): readonly Region[] {
  const seen = new Uint8Array(map.length);
  const isText = (at: number): boolean => (map[at] ?? 0) > pixelThreshold;
  const regions: Region[] = [];
  for (let start = 0; start < map.length; start++) {
    if (seen[start] === 1 || !isText(start)) continue;
    const outline: Point[] = [];
    const waiting = [start];
    seen[start] = 1;
    let [sum, count] = [0, 0];
    for (let at = waiting.pop(); at !== undefined; at = waiting.pop()) {
      const [x, y] = [at % width, Math.floor(at / width)];
      sum += map[at] ?? 0;
      count++;
      const inside = [x > 0 ? at - 1 : -1, x < width - 1 ? at + 1 : -1, at - width, y < height - 1 ? at + width : -1];
      let rim = false;
      for (const next of inside) {
        if (next < 0 || !isText(next)) rim = true;
        else if (seen[next] === 0) {
          seen[next] = 1;
          waiting.push(next);
        }
      }
      if (rim) outline.push({ x, y }, { x: x + 1, y: y + 1 });
    }
    regions.push({ outline, score: sum / count });
  }
  return regions;
}

/** Rectangles around lines of text, in pixels of the map. */
export function textRectangles(map: Float32Array, width: number, height: number): readonly Rectangle[] {
  return regionsOf(map, width, height).flatMap(({ outline, score }) => {
    if (score < regionThreshold) return [];
    const tight = leastRectangle(outline);
    if (Math.min(tight.width, tight.height) < leastSide) return [];
    const margin = (tight.width * tight.height * unclipRatio) / (2 * (tight.width + tight.height));
    return [grown(tight, margin)];
  });
}
