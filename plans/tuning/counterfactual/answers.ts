/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */

/** What the ledger knows of one routed operator on the validation rows, which are in order of difficulty. */
export interface AnswerTable {
  /** For each implementation, in bucket order: which rows it has answered, and what one more answer costs. */
  readonly implementations: readonly { readonly answered: readonly boolean[]; readonly usdPerAnswer: number }[];
}

/** What a trial would have to pay for. */
export interface MissingAnswers {
  readonly answers: number;
  readonly usd: number;
}

/**
 * Bucket of each of `rows` rows, ranked 1 … rows: rank/rows is the percentile u, and a row goes to the first bucket whose
 * cutpoint is ≥ u (CADENZA §5.1).
 */
export function bucketsOfRows(masses: readonly number[], rows: number): number[] {
  const buckets: number[] = [];
  let bucket = 0;
  let cutpoint = masses[0]!;
  for (let rank = 1; rank <= rows; rank++) {
    while (bucket < masses.length - 1 && cutpoint < rank / rows - 1e-12) cutpoint += masses[++bucket]!;
    buckets.push(bucket);
  }
  return buckets;
}

/** Price of a trial of one operator: the answers that its routing asks for and the ledger lacks. */
export function missingAnswers(masses: readonly number[], table: AnswerTable): MissingAnswers {
  const rows = table.implementations[0]?.answered.length ?? 0;
  let answers = 0;
  let usd = 0;
  bucketsOfRows(masses, rows).forEach((bucket, row) => {
    const { answered, usdPerAnswer } = table.implementations[bucket]!;
    if (answered[row]) return;
    answers++;
    usd += usdPerAnswer;
  });
  return { answers, usd };
}

/** True when every implementation has seen every row: from then on cutpoints are optimised exactly, without calls. */
export function isComplete(table: AnswerTable): boolean {
  return table.implementations.every(({ answered }) => answered.every(Boolean));
}
