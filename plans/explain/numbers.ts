/** Numbers of an explained plan, short enough to read. */

/** A count: whole, with thousands apart; below 10 with one decimal where it is not whole. */
export function count(value: number): string {
  const rounded = value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
  if (rounded >= 1e15) return rounded.toExponential(2);
  const [whole = '', decimals] = String(rounded).split('.');
  const apart = whole.replace(/\B(?=(\d{3})+$)/gu, ',');
  return decimals === undefined ? apart : `${apart}.${decimals}`;
}

/** Three significant digits. */
export function cost(value: number): string {
  if (value === 0) return '0';
  return value >= 1000 ? count(value) : String(Number(value.toPrecision(3)));
}

/** USD; an unknown price is never 0. */
export function money(value: number | undefined): string {
  if (value === undefined) return 'unknown';
  return value === 0 || value >= 0.01 ? `$${value.toFixed(2)}` : `$${Number(value.toPrecision(2))}`;
}
