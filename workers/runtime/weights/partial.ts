/** A file under download: its bytes so far, and what is needed to go on where it stopped. */
import { createWriteStream } from 'node:fs';
import { readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { parseJson } from '../../../plans/protocol/json.js';

interface PartialState {
  /** Which source the bytes came from: bytes of two sources are never mixed. */
  readonly source: string;
  /** Whole parts that are in, for sources made of parts. */
  readonly parts: number;
  /** Bytes of those parts. */
  readonly bytes: number;
  readonly etag?: string;
}

/** What a source may do with the partial file. All byte counts are of the file, not of the transfer. */
export interface PartialFile {
  readonly path: string;
  /** State left by an earlier attempt from this same source. */
  resume(source: string): Promise<PartialState & { readonly size: number }>;
  /** Cuts the file to `state.bytes` and records the state. */
  restart(state: PartialState): Promise<void>;
  /**
   * Appends what a generator yields, reporting the file's size as it grows. Not a stream: one that fails before it is read
   * ends the process.
   */
  append(chunks: AsyncGenerator<Uint8Array>, onBytes: (size: number) => void, signal: AbortSignal): Promise<void>;
  /** Records that whole parts are in. */
  record(state: PartialState): Promise<void>;
  size(): Promise<number>;
  remove(): Promise<void>;
}

/** The partial file that belongs to `target`. */
export function partialFile(target: string): PartialFile {
  const path = `${target}.partial`;
  const statePath = `${path}.json`;
  const size = async (): Promise<number> => (await stat(path).catch(() => ({ size: 0 }))).size;
  const record = (state: PartialState): Promise<void> => writeFile(statePath, JSON.stringify(state));
  return {
    path,
    size,
    record,
    async resume(source) {
      const parsed = parseJson(await readFile(statePath, 'utf8').catch(() => 'null'));
      const state = parsed.ok ? (parsed.value as unknown as PartialState | null) : null;
      if (state?.source !== source) return { source, parts: 0, bytes: 0, size: 0 };
      return { ...state, size: await size() };
    },
    async restart(state) {
      await writeFile(path, '', { flag: 'a' });
      await truncate(path, state.bytes);
      await record(state);
    },
    async append(chunks, onBytes, signal) {
      let at = await size();
      const counted = async function* (): AsyncGenerator<Uint8Array> {
        for await (const chunk of chunks) {
          yield chunk;
          at += chunk.byteLength;
          onBytes(at);
        }
      };
      await pipeline(counted, createWriteStream(path, { flags: 'a' }), { signal });
    },
    async remove() {
      await rm(path, { force: true });
      await rm(statePath, { force: true });
    },
  };
}
