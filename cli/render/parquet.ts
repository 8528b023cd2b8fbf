import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Sink } from './formats.js';
import type { RowSource } from './source.js';

/** Parquet is written with its index last, so it is made in a file first and then sent on. */
export async function writeParquet(source: RowSource, sink: Sink): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'fermata-parquet-'));
  try {
    const path = join(folder, 'rows.parquet');
    await source.toParquet(path);
    for await (const chunk of createReadStream(path)) await sink.write(chunk as Uint8Array);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
