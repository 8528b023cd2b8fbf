import type { AnswerRow, ObjectStore, PartitionCodec } from '../ports.js';

export type FailedRow = Extract<AnswerRow, { readonly state: 'error' }>;

/**
 * Inputs of a partition whose call failed for good in an earlier pass of the same run, by their number: they keep their
 * error. A call that is refused for what it holds is refused the second time too, and may be billed each time.
 *
 * @param answers - name of the partition's answers object, as the earlier pass has left it
 */
export async function earlierFailures(
  ports: { readonly store: ObjectStore; readonly codec: PartitionCodec },
  answers: string,
): Promise<ReadonlyMap<number, FailedRow>> {
  const bytes = await ports.store.getNamed(answers);
  const rows = bytes === undefined ? [] : ports.codec.decodeAnswers(bytes);
  return new Map(rows.flatMap((row) => (row.state === 'error' ? [[row.in, row] as const] : [])));
}
