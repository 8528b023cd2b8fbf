/** Where the proxy may decide, and the bound that the sample gives there. */
export interface Cut {
  readonly threshold: number;
  /** Lower bound of recall or precision, at the level of its test. */
  readonly bound: number;
}

/** What a sample allows; absent where it allows nothing. */
export interface Cuts {
  /** Scores below are rejected. */
  readonly reject?: Cut;
  /** Scores at or above are accepted. */
  readonly accept?: Cut;
}

/** Labels of a sample by the oracle, with the proxy's scores. */
export interface Labelled {
  readonly scores: Float64Array;
  readonly positive: readonly boolean[];
}

/** The least precision when the output holds a share `kept` of the positives, and `ratio` false ones for each positive. */
export function precisionFrom(ratio: number, kept: number): number {
  return kept / (kept + ratio);
}
