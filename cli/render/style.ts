/** Colours of what people read; every one is a no-op when colour is off. */
export interface Style {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
}

const codes = {
  bold: [1, 22],
  dim: [2, 22],
  red: [31, 39],
  green: [32, 39],
  yellow: [33, 39],
} as const satisfies Record<keyof Style, readonly [number, number]>;

function paint(on: boolean, [open, close]: readonly [number, number]): (text: string) => string {
  return on ? (text) => `\u001b[${open}m${text}\u001b[${close}m` : (text) => text;
}

/** Colour is on for a terminal, unless `--no-color` or a non-empty `NO_COLOR` (no-color.org) says otherwise. */
export function styleFor(on: boolean): Style {
  return {
    bold: paint(on, codes.bold),
    dim: paint(on, codes.dim),
    red: paint(on, codes.red),
    green: paint(on, codes.green),
    yellow: paint(on, codes.yellow),
  };
}
