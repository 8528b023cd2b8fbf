/** Numbers as people read them on stderr and in reports. */
import type { Range } from '../../plans/protocol/run.js';

/** A whole number with its thousands apart. Not by `Intl`: the first number would take a short query 25 ms. */
export function count(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 row`, `2 rows`. */
export function counted(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`;
}

/** US dollars with as many digits as a small sum needs; a sum above nought never prints as nought. */
export function usd(value: number): string {
  if (value === 0) return '$0.00';
  const digits = value >= 1 ? 2 : value >= 0.01 ? 4 : 6;
  const text = value.toFixed(digits);
  return Number(text) === 0 ? '<$0.000001' : `$${text}`;
}

/** What calls cost so far, where the price of `unpriced` of them is not known. */
export function cost(value: number, unpriced: number): string {
  if (unpriced === 0) return usd(value);
  return value === 0 ? 'price unknown' : `${usd(value)} + ${counted(unpriced, 'call')} of unknown price`;
}

/** Seconds as `12 s`, `3 min 05 s`, `2 h 10 min`. */
export function duration(seconds: number): string {
  if (seconds < 1) return '<1 s';
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${String(whole % 60).padStart(2, '0')} s`;
  return `${count(Math.floor(minutes / 60))} h ${String(minutes % 60).padStart(2, '0')} min`;
}

/** `expected [low–high]`, or one number when the three agree. */
export function range(value: Range, print: (value: number) => string = count): string {
  return value.low === value.high
    ? print(value.expected)
    : `${print(value.expected)} [${print(value.low)}–${print(value.high)}]`;
}

/** Percent of a share in [0,1], with one digit where it matters. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'] as const;

/** Bytes in powers of 1,000, as disks and downloads count. */
export function bytes(value: number): string {
  let rest = value;
  let unit = 0;
  while (rest >= 1000 && unit < byteUnits.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${byteUnits[unit] ?? 'B'}`;
}
