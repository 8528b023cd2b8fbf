import { createReadStream } from 'node:fs';
import type { Sink } from './formats.js';
import type { RowSource } from './source.js';

/** The Arrow IPC stream, byte by byte as the store holds it. */
export async function writeArrow(source: RowSource, sink: Sink): Promise<void> {
  for await (const chunk of createReadStream(await source.file())) await sink.write(chunk as Uint8Array);
}
