import { type RecordBatch, RecordBatchStreamWriter, type Schema } from 'apache-arrow';

/** Arrow's stream writer with the bytes handed out as they are made, so that a sink can hold the producer back. */
class CollectingWriter extends RecordBatchStreamWriter {
  #chunks: Uint8Array[] = [];

  protected override _write(chunk: ArrayBufferView): this {
    const bytes = new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    if (this._started && bytes.byteLength > 0) {
      this.#chunks.push(bytes);
      this._position += bytes.byteLength;
    }
    return this;
  }

  take(): readonly Uint8Array[] {
    const chunks = this.#chunks;
    this.#chunks = [];
    return chunks;
  }
}

/**
 * The bytes of an Arrow IPC stream, batch by batch.
 *
 * @example for await (const bytes of arrowStream(schema, batches)) await file.write(bytes);
 */
export async function* arrowStream(
  schema: Schema,
  batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>,
): AsyncGenerator<Uint8Array> {
  const writer = new CollectingWriter();
  writer.reset(undefined, schema);
  yield* writer.take();
  for await (const batch of batches) {
    writer.write(batch);
    yield* writer.take();
  }
  writer.finish();
  yield* writer.take();
}

/** A small Arrow IPC stream in memory. */
export function arrowBytes(schema: Schema, batches: readonly RecordBatch[]): Uint8Array {
  const writer = new CollectingWriter();
  writer.reset(undefined, schema);
  for (const batch of batches) writer.write(batch);
  writer.finish();
  return Buffer.concat(writer.take());
}
