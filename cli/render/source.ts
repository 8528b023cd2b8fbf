import type { RecordBatch } from 'apache-arrow';
import { type Cell, readVector } from './cells.js';

/** The rows of a finished run, as the formats take them. */
export interface RowSource {
  readonly columns: readonly { readonly name: string; readonly type: string }[];
  batches(): AsyncIterable<RecordBatch>;
  /** Path of a local Arrow IPC stream of the same rows. */
  file(): Promise<string>;
  /** Writes the rows as a Parquet file. */
  toParquet(path: string): Promise<void>;
  /** What `json` says besides the rows, as top-level members. */
  readonly envelope: Readonly<Record<string, unknown>>;
}

/** Rows in order, each an array of cells in the order of the columns. */
export async function* readRows(source: Pick<RowSource, 'columns' | 'batches'>): AsyncGenerator<readonly Cell[]> {
  for await (const batch of source.batches()) {
    const vectors = source.columns.map((_, position) => batch.getChildAt(position));
    for (let row = 0; row < batch.numRows; row++) {
      yield vectors.map((vector) => (vector ? readVector(vector, row) : null));
    }
  }
}
