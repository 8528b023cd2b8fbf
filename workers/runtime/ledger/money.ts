import { FermataError } from '../../../plans/protocol/errors.js';

/**
 * Money is kept as whole nano-USD (1e-9 USD): sums are exact up to 9 million USD, and a price of 0.05 USD per million
 * tokens is 50 units a token. Amounts are rounded to the nearest unit once, on the way in; every sum and comparison
 * after that is on integers.
 */
const nanoPerUsd = 1e9;

/** @throws FermataError `Internal` for a negative or non-finite amount: letting it in would spoil a counter for good. */
export function toNano(usd: number): number {
  return count(Math.round(usd * nanoPerUsd), 'USD');
}

export function toUsd(nano: number): number {
  return nano / nanoPerUsd;
}

/** A counter's increment: a whole number from 0 on. Fractions (estimated tokens) are rounded up. */
export function count(value: number, what: string): number {
  const whole = Math.ceil(value);
  if (!Number.isSafeInteger(whole) || whole < 0) {
    throw new FermataError('Internal', `The ledger was given ${String(value)} as an amount of ${what}.`);
  }
  return whole;
}
