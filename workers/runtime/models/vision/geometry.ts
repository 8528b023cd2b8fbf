/** Rectangles around sets of points. */
import type { Point } from '../../../../activities/ports.js';

/** Corners, clockwise from the upper left one as the text in it is read. */
export type Box = readonly [Point, Point, Point, Point];

const cross = (o: Point, a: Point, b: Point): number => (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);

/** Convex hull by A. M. Andrew's monotone chain (1979). */
export function convexHull(points: readonly Point[]): readonly Point[] {
  const sorted = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const half = (ordered: readonly Point[]): Point[] => {
    const chain: Point[] = [];
    for (const point of ordered) {
      while (chain.length >= 2 && cross(chain.at(-2) ?? point, chain.at(-1) ?? point, point) <= 0) chain.pop();
      chain.push(point);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

/** A rectangle by its middle, its direction (radians) and its extents along and across it. */
export interface Rectangle {
  readonly center: Point;
  readonly angle: number;
  readonly width: number;
  readonly height: number;
}

/** The rectangle of least area around points: one of its sides lies on a side of their hull. */
export function leastRectangle(points: readonly Point[]): Rectangle {
  const hull = convexHull(points);
  const [only = { x: 0, y: 0 }] = points;
  let best: Rectangle = { center: only, angle: 0, width: 0, height: 0 };
  let least = Number.POSITIVE_INFINITY;
  for (const [at, from] of hull.entries()) {
    const to = hull[(at + 1) % hull.length] ?? from;
    const rectangle = rectangleAlong(hull, Math.atan2(to.y - from.y, to.x - from.x));
    const area = rectangle.width * rectangle.height;
    if (area < least) [least, best] = [area, rectangle];
  }
  return upright(best);
}

function rectangleAlong(points: readonly Point[], angle: number): Rectangle {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity];
  for (const { x, y } of points) {
    const [along, across] = [x * cos + y * sin, y * cos - x * sin];
    left = Math.min(left, along);
    right = Math.max(right, along);
    top = Math.min(top, across);
    bottom = Math.max(bottom, across);
  }
  const [u, v] = [(left + right) / 2, (top + bottom) / 2];
  return { center: { x: u * cos - v * sin, y: u * sin + v * cos }, angle, width: right - left, height: bottom - top };
}

/** The same rectangle with a direction in (-45°, 45°]. */
function upright({ center, angle, width, height }: Rectangle): Rectangle {
  const quarter = Math.PI / 2;
  const turns = Math.ceil(angle / quarter - 0.5);
  const turned = angle - turns * quarter;
  return turns % 2 === 0
    ? { center, angle: turned, width, height }
    : { center, angle: turned, width: height, height: width };
}

/** The rectangle with a margin on all sides. */
export function grown(rectangle: Rectangle, margin: number): Rectangle {
  return { ...rectangle, width: rectangle.width + 2 * margin, height: rectangle.height + 2 * margin };
}

/** Corners of a rectangle, with both axes stretched. */
export function boxOf({ center, angle, width, height }: Rectangle, scaleX: number, scaleY: number): Box {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const corner = (right: number, down: number): Point => ({
    x: (center.x + (right * width * cos - down * height * sin) / 2) * scaleX,
    y: (center.y + (right * width * sin + down * height * cos) / 2) * scaleY,
  });
  return [corner(-1, -1), corner(1, -1), corner(1, 1), corner(-1, 1)];
}
