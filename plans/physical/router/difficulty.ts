/**
 * What a scorer is fitted to: how dear an implementation a row needs, from which of them were right on the validation rows.
 *
 * @param right `right[k][row]`: whether the implementation of bucket k, cheapest first, was right about the row
 * @returns in [0, 1] for each row: the bucket of the first that was right over N − 1; 0 with one implementation; NaN where none
 * was right, since the row then says nothing about routing
 */
export function difficulties(right: readonly (readonly boolean[])[]): Float64Array {
  const rows = right[0]?.length ?? 0;
  return Float64Array.from({ length: rows }, (_, row) => {
    const first = right.findIndex((of) => of[row] === true);
    return first < 0 ? Number.NaN : first / Math.max(1, right.length - 1);
  });
}
