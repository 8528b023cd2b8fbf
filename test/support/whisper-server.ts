/**
 * The real Whisper server of tests. It needs a Python that has `faster-whisper` (`FERMATA_WHISPER_PYTHON`) and a folder
 * with a CTranslate2 model, `model.bin` and what belongs to it (`FERMATA_WHISPER_MODEL`).
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';

const python = process.env['FERMATA_WHISPER_PYTHON'];
const model = process.env['FERMATA_WHISPER_MODEL'];

/** Why there is no server here; undefined where there can be one. */
export const noWhisper =
  python === undefined || model === undefined
    ? 'FERMATA_WHISPER_PYTHON and FERMATA_WHISPER_MODEL name no Python with faster-whisper and no model'
    : undefined;

export interface WhisperServer {
  /** Ends in /v1. */
  readonly baseUrl: string;
  close(): Promise<void>;
}

export async function startWhisper(): Promise<WhisperServer> {
  const script = new URL('./whisper-server.py', import.meta.url).pathname;
  const child = spawn(python ?? '', [script, model ?? ''], { stdio: ['ignore', 'pipe', 'inherit'] });
  const [port] = (await once(createInterface(child.stdout), 'line')) as [string];
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    async close() {
      const ended = once(child, 'close');
      child.kill();
      await ended;
    },
  };
}
