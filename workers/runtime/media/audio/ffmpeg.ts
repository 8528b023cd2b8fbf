/** Formats that no library of ours reads, through the ffmpeg program where it is installed. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Block } from './decoders.js';
import type { AudioSource } from './source.js';

const sampleRate = 16_000;

/** Mono blocks at 16 kHz. Throws `Error` where ffmpeg is not there or cannot read the file. */
export async function* readFfmpeg(source: AudioSource): AsyncGenerator<Block> {
  // MP4 files keep their index at either end, so a pipe will not do.
  const folder = 'bytes' in source ? await mkdtemp(join(tmpdir(), 'fermata-audio-')) : undefined;
  try {
    const path = 'path' in source ? source.path : join(folder ?? '', 'clip');
    if ('bytes' in source) await writeFile(path, source.bytes);
    yield* run(path);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  }
}

async function* run(path: string): AsyncGenerator<Block> {
  const output = ['-vn', '-f', 'f32le', '-ac', '1', '-ar', String(sampleRate), 'pipe:1'];
  // A file may name other files and URLs to read: this one alone is read.
  const input = ['-nostdin', '-v', 'error', '-protocol_whitelist', 'file,pipe', '-i', `file:${path}`];
  const child = spawn('ffmpeg', [...input, ...output], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close');
  // Told below: until the samples are read, nobody waits for it.
  ended.catch(() => undefined);
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-500)));
  try {
    let held = Buffer.alloc(0);
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      held = Buffer.concat([held, chunk]);
      const samples = new Float32Array(Math.floor(held.length / 4));
      for (let at = 0; at < samples.length; at++) samples[at] = held.readFloatLE(at * 4);
      held = held.subarray(samples.length * 4);
      yield { channelData: [samples], sampleRate };
    }
    const [code] = (await ended) as [number | null];
    if (code !== 0) throw new Error(`ffmpeg cannot read it: ${said.trim().split('\n').at(-1) ?? ''}`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new Error('this format needs the program ffmpeg on the PATH; or convert the file to WAV, MP3, FLAC or Ogg', {
      cause: error,
    });
  } finally {
    child.kill('SIGKILL');
  }
}
