/** How many rows a query with one filter and a LIMIT asks about first. */
import { defaultSelectivity } from './estimate.js';

/** A little more than what the expected share of passing rows calls for: a further portion costs a turn. */
const overshoot = 1.2;
/** Rows of a portion, at least. */
export const leastRows = 10;

/** Rows to ask about at first, of which `enough` are to pass. */
export function firstRows(enough: number): number {
  return enough === 0 ? 0 : Math.max(leastRows, Math.ceil((overshoot * enough) / defaultSelectivity.expected));
}

/** Rows that are asked in vain, about, because some pass beyond those that are needed, and portions are rounded up. */
export function rowsInVain(enough: number): number {
  return Math.ceil(1.05 * firstRows(enough) - enough / defaultSelectivity.expected);
}
