import type { FileHandle } from 'node:fs/promises';
import { FermataError } from '../../plans/protocol/errors.js';
import type { Output } from '../io.js';
import { type FormatName, type Sink, formats } from './formats.js';
import type { RowSource } from './source.js';
import { writeWhole } from './whole-file.js';

/** Bytes gathered before one write. */
const flushAt = 64 * 1024;

interface Buffered {
  write(chunk: string | Uint8Array): Promise<void>;
  flush(): Promise<void>;
}

/** Small writes gathered into large ones: one write a row would cost more than the row. */
function buffered(write: (chunk: string | Uint8Array) => Promise<unknown>): Buffered {
  let text: string[] = [];
  let size = 0;
  async function flush(): Promise<void> {
    if (size === 0) return;
    const gathered = text.join('');
    text = [];
    size = 0;
    await write(gathered);
  }
  return {
    flush,
    async write(chunk) {
      if (typeof chunk !== 'string') {
        await flush();
        await write(chunk);
        return;
      }
      text.push(chunk);
      size += chunk.length;
      if (size >= flushAt) await flush();
    },
  };
}

export interface Destination {
  readonly format: FormatName;
  /** Absent: standard output. */
  readonly out?: string;
  readonly stdout: Output;
  readonly cwd: string;
  note(text: string): Promise<void>;
}

async function writeInto(source: RowSource, to: Destination, handle: FileHandle): Promise<void> {
  const target = buffered((chunk) => handle.writeFile(chunk));
  const sink: Sink = { write: (chunk) => target.write(chunk), columns: undefined, note: (text) => to.note(text) };
  const write = await formats[to.format].load();
  await write(source, sink);
  await target.flush();
}

/** Throws `Usage` when bytes would go to a terminal. Call before a run is paid for. */
export function checkDestination(to: Pick<Destination, 'format' | 'out' | 'stdout'>): void {
  if (!formats[to.format].binary || to.out !== undefined || !to.stdout.tty) return;
  throw new FermataError('Usage', `${to.format} is binary and would garble the terminal`, {
    hint: `add --out result.${to.format}, or send the output on to a file or program`,
  });
}

/** Writes the rows in the chosen format to the file or to standard output. */
export async function deliver(source: RowSource, to: Destination): Promise<void> {
  if (to.out !== undefined) {
    await writeWhole(to.cwd, to.out, (handle) => writeInto(source, to, handle));
    return;
  }
  const target = buffered((chunk) => to.stdout.write(chunk));
  const write = await formats[to.format].load();
  await write(source, {
    write: (chunk) => target.write(chunk),
    columns: to.stdout.columns,
    note: (text) => to.note(text),
  });
  await target.flush();
}
