import { type Data, type DataType, type RecordBatch, RecordBatchReader } from 'apache-arrow';
import { FermataError } from '../../../plans/protocol/errors.js';

/** The batches of a small Arrow file of ours. @throws FermataError `Internal` when the bytes are not Arrow. */
export function readBatches(bytes: Uint8Array, what: string): readonly RecordBatch[] {
  try {
    return [...RecordBatchReader.from(bytes)];
  } catch (error) {
    throw new FermataError('Internal', `The ${what} of a partition cannot be read.`, { cause: error });
  }
}

/** A column by name; every file of ours has all its columns. @throws FermataError `Internal` */
export function column<T extends DataType>(batch: RecordBatch, name: string): Data<T> {
  const data = batch.getChild(name)?.data[0] as Data<T> | undefined;
  if (data === undefined) throw new FermataError('Internal', `A partition lacks the column "${name}".`);
  return data;
}
