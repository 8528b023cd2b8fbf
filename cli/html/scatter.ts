/** A chart of points with an optional line, as inline SVG. */
import { type Html, html } from './html.js';

export interface Point {
  readonly x: number;
  readonly y: number;
  /** Shown when the pointer rests on it. */
  readonly title: string;
  /** `chosen` and `direct` stand out. */
  readonly mark?: 'chosen' | 'direct';
}

export interface Chart {
  readonly title: string;
  readonly x: string;
  readonly y: string;
  readonly points: readonly Point[];
  /** From left to right. `steps`: level until the next point. */
  readonly line: { readonly of: readonly Pick<Point, 'x' | 'y'>[]; readonly shape: 'straight' | 'steps' };
}

const [width, height] = [640, 280];
const margin = { left: 64, right: 16, top: 12, bottom: 44 };

interface Scale {
  readonly ticks: readonly number[];
  readonly place: (value: number) => number;
}

/** Round steps of 1, 2 or 5 that hold all values. */
function scale(values: readonly number[], from: number, to: number): Scale {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  const size = Math.max(Math.abs(least), Math.abs(most), 1e-9);
  // values that differ by rounding alone are one value
  const spread = most - least > 1e-9 * size ? most - least : size;
  const power = 10 ** Math.floor(Math.log10(spread / 4));
  const step = power * ([1, 2, 5, 10].find((factor) => spread / (power * factor) <= 5) ?? 10);
  const [first, last] = [Math.floor(least / step), Math.ceil(most / step)];
  const count = Math.max(1, last - first);
  return {
    ticks: Array.from({ length: count + 1 }, (_, at) => (first + at) * step),
    place: (value) => from + ((value / step - first) / count) * (to - from),
  };
}

/** Digits without the noise of floating point. */
const tick = (value: number): string => String(Number(value.toPrecision(6)));

export function scatter({ title, x, y, points, line }: Chart): Html {
  const right = width - margin.right;
  const bottom = height - margin.bottom;
  const across = scale(
    points.map((point) => point.x),
    margin.left,
    right,
  );
  const up = scale(
    points.map((point) => point.y),
    bottom,
    margin.top,
  );
  const at = (value: number): string => value.toFixed(1);
  const grid = [
    ...across.ticks.map(
      (value) =>
        html`<text x="${at(across.place(value))}" y="${bottom + 18}" text-anchor="middle" fill="currentColor">${tick(value)}</text>`,
    ),
    ...up.ticks.map(
      (value) =>
        html`<path class="grid" d="M${margin.left} ${at(up.place(value))}H${right}"/><text x="${margin.left - 8}" y="${at(up.place(value) + 4)}" text-anchor="end" fill="currentColor">${tick(value)}</text>`,
    ),
  ];
  const steps = line.of.map((point, place) => {
    const [left, top] = [at(across.place(point.x)), at(up.place(point.y))];
    if (place === 0) return `M${left} ${top}`;
    return line.shape === 'steps' ? `H${left}V${top}` : `L${left} ${top}`;
  });
  const dots = points.map(
    (point) =>
      html`<circle class="dot ${point.mark ?? ''}" cx="${at(across.place(point.x))}" cy="${at(up.place(point.y))}" r="${point.mark === undefined ? 4 : 6}"><title>${point.title}</title></circle>`,
  );
  return html`<svg viewBox="0 0 ${width} ${height}" width="100%" style="max-width: ${width}px" font-size="12" role="img" aria-label="${title}">
${grid}<path class="line" d="${steps.join('')}"/>
${dots}<text x="${(margin.left + right) / 2}" y="${height - 6}" text-anchor="middle" fill="currentColor">${x}</text>
<text x="14" y="${(margin.top + bottom) / 2}" text-anchor="middle" fill="currentColor" transform="rotate(-90 14 ${(margin.top + bottom) / 2})">${y}</text>
</svg>
`;
}
