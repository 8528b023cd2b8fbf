/** Speech to text at an OpenAI-style `/audio/transcriptions`. */
import type { Transcriber, Transcript, TranscriptOptions, Usage } from '../../../../activities/ports.js';
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { clipsOf } from '../../media/audio/clips.js';
import type { Secrets } from './failures.js';
import type { Post } from './open.js';
import { readJson } from './reply.js';

/** Ten minutes are 19 MB: OpenAI takes 25 MB a request. */
const maxClipSeconds = 600;

export const holdsFile = (body: Readonly<Record<string, unknown>>): boolean => body['file'] instanceof Blob;

/** The fields as a form, encoded. */
export async function encodeForm(body: Readonly<Record<string, unknown>>) {
  const form = new FormData();
  for (const [name, value] of Object.entries(body)) {
    if (value instanceof Blob) form.append(name, value, 'clip.wav');
    else form.append(name, String(value));
  }
  const encoded = new Response(form);
  const type = encoded.headers.get('content-type') ?? 'multipart/form-data';
  return { body: new Uint8Array(await encoded.arrayBuffer()), headers: { 'content-type': type } };
}

interface Reply {
  readonly text?: unknown;
  readonly language?: unknown;
  readonly usage?: Readonly<Record<string, unknown>> | null;
}

interface Heard {
  readonly text: string;
  readonly language?: string;
  readonly usage?: Usage;
}

function usageOf(usage: Reply['usage']): Usage | undefined {
  const [inputTokens, outputTokens] = [usage?.['input_tokens'], usage?.['output_tokens']];
  return typeof inputTokens === 'number' && typeof outputTokens === 'number'
    ? { inputTokens, outputTokens }
    : undefined;
}

function readTranscript(body: string, headers: Headers, secrets: Secrets): Heard {
  const { text, language, usage } = readJson(body, headers, secrets) as Reply;
  if (typeof text !== 'string') throw new CallError('emptyReply', 'the reply held no text');
  const used = usageOf(usage);
  return {
    text: text.trim(),
    ...(typeof language === 'string' ? { language } : {}),
    ...(used === undefined ? {} : { usage: used }),
  };
}

/**
 * Converts what it gets to WAV at 16 kHz and sends it, more than ten minutes in several requests. Where there is nothing
 * to hear, nothing is asked: models make up words for silence.
 */
export function transcriber(model: string, post: Post, key: () => string | undefined): Transcriber {
  async function hear(wav: Uint8Array, options: TranscriptOptions, signal: AbortSignal): Promise<Heard> {
    const body = {
      model,
      file: new Blob([Buffer.from(wav)], { type: 'audio/wav' }),
      // A model that knows no more than `json` says so once, and is then asked for that.
      response_format: 'verbose_json',
      temperature: 0,
      ...options,
    };
    const secrets = { key: key(), prompt: options.prompt === undefined ? [] : [options.prompt] };
    const { text, headers } = await post('/audio/transcriptions', body, secrets, signal);
    return readTranscript(text, headers, secrets);
  }

  return {
    async transcribe(audio, options, signal) {
      const heard: Heard[] = [];
      let seconds = 0;
      for await (const clip of clipsOf({ bytes: audio }, maxClipSeconds)) {
        seconds += clip.seconds;
        if (!clip.silent) heard.push(await hear(clip.wav, options, signal));
      }
      return joined(heard, seconds);
    },
  };
}

function joined(heard: readonly Heard[], seconds: number): Transcript {
  const language = heard.find((part) => part.language !== undefined)?.language;
  const known = heard.flatMap(({ usage }) => (usage === undefined ? [] : [usage]));
  const usage = known.reduce(
    (sum, part) => ({
      inputTokens: sum.inputTokens + part.inputTokens,
      outputTokens: sum.outputTokens + part.outputTokens,
    }),
    { inputTokens: 0, outputTokens: 0 },
  );
  return {
    text: heard
      .map(({ text }) => text)
      .filter((text) => text !== '')
      .join(' '),
    seconds,
    ...(language === undefined ? {} : { language }),
    ...(known.length === heard.length ? { usage } : {}),
  };
}
