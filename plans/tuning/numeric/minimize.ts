/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** A function to minimise: returns the value at `x` and writes the gradient. A value that is not finite is a wall. */
export type Differentiable = (x: Float64Array, gradient: Float64Array) => number;

export interface MinimizeOptions {
  readonly lower: Float64Array;
  readonly upper: Float64Array;
  readonly maxIterations: number;
  /** Stops when no free component of the gradient is larger. */
  readonly gradientTolerance?: number;
  /** Stops when an iteration gains less than this, relative to 1 + |value|. */
  readonly valueTolerance?: number;
}

export interface Minimum {
  readonly x: Float64Array;
  readonly value: number;
  readonly evaluations: number;
}

const memory = 8;
const maxBacktracks = 25;

/**
 * Projected L-BFGS in a box: quasi-Newton direction on the variables that are not held at a bound, Armijo line search
 * along the projected path (Nocedal and Wright, ch. 7 and 16). Never returns a value above that at `start`.
 */
export function minimize(f: Differentiable, start: Float64Array, options: MinimizeOptions): Minimum {
  const { lower, upper, gradientTolerance = 1e-7, valueTolerance = 1e-11 } = options;
  const n = start.length;
  const clip = (value: number, i: number) => Math.min(upper[i]!, Math.max(lower[i]!, value));
  let x = start.map(clip);
  let gradient = new Float64Array(n);
  let value = f(x, gradient);
  let evaluations = 1;
  const pairs: Pair[] = [];
  for (let iteration = 0; iteration < options.maxIterations && Number.isFinite(value); iteration++) {
    const free = freeVariables(x, gradient, lower, upper);
    let largest = 0;
    for (let i = 0; i < n; i++) if (free[i]) largest = Math.max(largest, Math.abs(gradient[i]!));
    if (!(largest > gradientTolerance)) break;
    const quasi = pairs.length > 0 ? direction(gradient, free, pairs) : undefined;
    const step = quasi ?? steepest(gradient, free, largest);
    const found = search(f, { x, value, gradient, step, clip });
    evaluations += found.evaluations;
    if (!found.point) {
      if (!quasi) break;
      pairs.length = 0; // a bad model of the curvature: once more along the gradient
      continue;
    }
    remember(pairs, x, found.point.x, gradient, found.point.gradient);
    const gain = value - found.point.value;
    ({ x, value, gradient } = found.point);
    if (gain <= valueTolerance * (1 + Math.abs(value))) break;
  }
  return { x, value, evaluations };
}

interface Pair {
  readonly s: Float64Array;
  readonly y: Float64Array;
  readonly rho: number;
}

interface Point {
  readonly x: Float64Array<ArrayBuffer>;
  readonly value: number;
  readonly gradient: Float64Array<ArrayBuffer>;
}

function freeVariables(x: Float64Array, gradient: Float64Array, lower: Float64Array, upper: Float64Array): Uint8Array {
  return Uint8Array.from(x, (value, i) =>
    (value <= lower[i]! && gradient[i]! > 0) || (value >= upper[i]! && gradient[i]! < 0) ? 0 : 1,
  );
}

/** First step: a tenth of the largest gradient component's direction, as the scale is not known yet. */
function steepest(gradient: Float64Array, free: Uint8Array, largest: number): Float64Array {
  return gradient.map((value, i) => (free[i] ? (-0.1 * value) / Math.max(largest, 1e-300) : 0));
}

/** The two-loop recursion; undefined when it does not point downhill. */
function direction(gradient: Float64Array, free: Uint8Array, pairs: readonly Pair[]): Float64Array | undefined {
  const q = gradient.map((value, i) => (free[i] ? value : 0));
  const weights: number[] = [];
  for (let k = pairs.length - 1; k >= 0; k--) {
    const { s, y, rho } = pairs[k]!;
    const weight = rho * dot(s, q);
    weights[k] = weight;
    for (let i = 0; i < q.length; i++) q[i] = q[i]! - weight * y[i]!;
  }
  const last = pairs.at(-1)!;
  const scale = 1 / (last.rho * dot(last.y, last.y));
  for (let i = 0; i < q.length; i++) q[i] = q[i]! * scale;
  for (let k = 0; k < pairs.length; k++) {
    const { s, y, rho } = pairs[k]!;
    const weight = weights[k]! - rho * dot(y, q);
    for (let i = 0; i < q.length; i++) q[i] = q[i]! + weight * s[i]!;
  }
  const step = q.map((value, i) => (free[i] ? -value : 0));
  return dot(step, gradient) < 0 ? step : undefined;
}

interface Search extends Point {
  readonly step: Float64Array;
  readonly clip: (value: number, i: number) => number;
}

function search(f: Differentiable, from: Search): { readonly point?: Point; readonly evaluations: number } {
  let length = 1;
  for (let evaluations = 1; evaluations <= maxBacktracks; evaluations++) {
    const x = from.x.map((value, i) => from.clip(value + length * from.step[i]!, i));
    let slope = 0;
    for (let i = 0; i < x.length; i++) slope += from.gradient[i]! * (x[i]! - from.x[i]!);
    if (!(slope < 0)) return { evaluations: evaluations - 1 };
    const gradient = new Float64Array(x.length);
    const value = f(x, gradient);
    if (value <= from.value + 1e-4 * slope && gradient.every(Number.isFinite))
      return { point: { x, value, gradient }, evaluations };
    // Minimum of the parabola through what is known, kept within [0.1, 0.5] of the last length.
    const parabola = Number.isFinite(value) ? (-slope / (2 * (value - from.value - slope))) * length : 0.1 * length;
    length = Math.min(0.5 * length, Math.max(0.1 * length, parabola));
  }
  return { evaluations: maxBacktracks };
}

function remember(pairs: Pair[], x: Float64Array, nextX: Float64Array, g: Float64Array, nextG: Float64Array): void {
  const s = nextX.map((value, i) => value - x[i]!);
  const y = nextG.map((value, i) => value - g[i]!);
  const curvature = dot(s, y);
  if (!(curvature > 1e-12 * dot(y, y))) return;
  pairs.push({ s, y, rho: 1 / curvature });
  if (pairs.length > memory) pairs.shift();
}

function dot(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}
