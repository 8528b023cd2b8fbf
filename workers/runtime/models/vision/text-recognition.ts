/** What a line of text says: a strip of pixels in, characters out. */
import type { Box } from './geometry.js';
import type { Pixels } from './pixels.js';

/** Height that the network reads lines at, in pixels. */
export const stripHeight = 48;
/** Widths of strips: shorter ones are padded, longer ones are squeezed. */
const widths = { least: 64, most: 3200 } as const;
/** Lines are narrowed by this: the network, trained on Chinese above all, then sees more of the spaces of Latin print. */
const narrowed = 0.9;
/** A box this much taller than wide holds a line that runs downwards. */
const verticalRatio = 1.5;

const distance = (a: Box[number], b: Box[number]): number => Math.hypot(a.x - b.x, a.y - b.y);

export interface Strip {
  /** RGB planes, (value / 255 − 0.5) / 0.5. */
  readonly planes: Float32Array;
  readonly width: number;
}

/** The line in a box, turned level and scaled to the height of strips. */
export function cutStrip(pixels: Pixels, box: Box): Strip {
  const [a, b, c, d] = box;
  const vertical = distance(a, d) > verticalRatio * distance(a, b);
  // A vertical line is read from the lower left corner upwards.
  const [origin, along, across] = vertical ? [d, a, c] : [a, b, d];
  const [length, thickness] = [distance(origin, along), distance(origin, across)];
  const scale = stripHeight / Math.max(1, thickness);
  const used = Math.min(widths.most, Math.max(1, Math.round(length * scale * narrowed)));
  const width = Math.max(widths.least, Math.ceil(used / 8) * 8);
  const planes = new Float32Array(3 * stripHeight * width);
  // Reduced lines are averaged over several points a pixel, or thin strokes would be lost.
  const points = Math.min(4, Math.max(1, Math.ceil(1 / scale)));
  const rgb: [number, number, number] = [0, 0, 0];
  for (let row = 0; row < stripHeight; row++) {
    for (let column = 0; column < used; column++) {
      rgb.fill(0);
      for (let part = 0; part < points * points; part++) {
        const u = (column + ((part % points) + 0.5) / points) / used;
        const v = (row + (Math.floor(part / points) + 0.5) / points) / stripHeight;
        const x = origin.x + u * (along.x - origin.x) + v * (across.x - origin.x) - 0.5;
        const y = origin.y + u * (along.y - origin.y) + v * (across.y - origin.y) - 0.5;
        addSample(pixels, x, y, rgb);
      }
      for (const [channel, sum] of rgb.entries()) {
        planes[(channel * stripHeight + row) * width + column] = sum / (points * points) / 127.5 - 1;
      }
    }
  }
  return { planes, width };
}

/** Adds the colour at a place between pixels, by its four neighbours; beyond the rim the rim's colour goes on. */
function addSample({ data, width, height }: Pixels, x: number, y: number, rgb: [number, number, number]): void {
  const [left, top] = [Math.floor(x), Math.floor(y)];
  const [right, down] = [x - left, y - top];
  const column = (at: number): number => Math.max(0, Math.min(width - 1, at));
  const row = (at: number): number => Math.max(0, Math.min(height - 1, at)) * width;
  const corners = [
    [row(top) + column(left), (1 - right) * (1 - down)],
    [row(top) + column(left + 1), right * (1 - down)],
    [row(top + 1) + column(left), (1 - right) * down],
    [row(top + 1) + column(left + 1), right * down],
  ] as const;
  for (const [at, weight] of corners) {
    for (const channel of [0, 1, 2] as const) rgb[channel] += (data[at * 3 + channel] ?? 0) * weight;
  }
}

/**
 * From this probability between two characters on, a space is one: on the best path it mostly loses against "none". In
 * print of 12 to 28 pixels it is above 0.003 at every space and below 0.002 elsewhere.
 */
const spaceThreshold = 0.01;

/**
 * Characters from the network's probabilities a step (CTC, best path): equal neighbours are one, class 0 is none, the last
 * class is the space. `score` is the mean probability of the characters, 0 where there are none.
 */
export function decodeSteps(
  probabilities: Float32Array,
  classes: number,
  characters: readonly string[],
): { readonly text: string; readonly score: number } {
  const space = classes - 1;
  let [text, sum, count, last, gap] = ['', 0, 0, 0, 0];
  for (let step = 0; step + classes <= probabilities.length; step += classes) {
    let best = 0;
    for (let at = 1; at < classes; at++) {
      if ((probabilities[step + at] ?? 0) > (probabilities[step + best] ?? 0)) best = at;
    }
    if (best === 0 || best === space) gap = Math.max(gap, probabilities[step + space] ?? 0);
    else if (best !== last) {
      if (gap >= spaceThreshold && text !== '') text += ' ';
      gap = 0;
      text += characters[best - 1] ?? '';
      sum += probabilities[step + best] ?? 0;
      count++;
    }
    last = best;
  }
  return { text, score: count === 0 ? 0 : sum / count };
}
