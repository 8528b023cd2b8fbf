/** Whether a search can be expected to pay for itself. */

/** What the askings of some inputs come to, as estimated; answers that the ledger has cost nothing. */
export interface Asking {
  readonly calls: number;
  /** Absent: the price is not known. */
  readonly usd?: number;
}

export interface PayOffFacts {
  /** Distinct inputs of the call. */
  readonly inputs: number;
  /** Inputs that the search asks about. */
  readonly sample: number;
  /** The default model about the sample: the run pays for it either way. */
  readonly direct: Asking;
  /** Everyone else about the sample. */
  readonly others: readonly Asking[];
}

export interface PayOff {
  /** What the search costs that the run would not pay anyway, and what it can be expected to save, in `unit`. */
  readonly price: number;
  readonly saving: number;
  /** Calls where a price is not known, or the default model is free. */
  readonly unit: 'usd' | 'calls';
}

/**
 * Share of the rows that a plan is expected to take from the default model, at next to no price. An assumption: what a search
 * finds is known after it alone.
 */
export const expectedShare = 0.5;

/** Saving = share × rows ahead × the default model's price a row; the rows of the sample are paid for. */
export function payOff({ inputs, sample, direct, others }: PayOffFacts): PayOff {
  const priced = [direct, ...others].every(({ usd }) => usd !== undefined) && (direct.usd ?? 0) > 0;
  const unit = priced ? 'usd' : 'calls';
  const of = (asking: Asking): number => asking[unit] ?? 0;
  return {
    price: others.reduce((sum, one) => sum + of(one), 0),
    saving: (expectedShare * Math.max(0, inputs - sample) * of(direct)) / Math.max(1, sample),
    unit,
  };
}
