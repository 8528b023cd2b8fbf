import { drawsOf, pick } from '../random.js';
import { fingerprint } from './chat.js';
import { errorReply, type PoolState, profileOf, type Reply, serveCall } from './pipeline.js';
import { media, Refusal } from './request.js';

/** `POST /v1/audio/transcriptions`, a multipart form with `file` and `model`. */
export async function transcriptions(
  state: PoolState,
  contentType: string,
  bytes: Buffer,
  gone: AbortSignal,
): Promise<Reply | undefined> {
  const form = await formOf(contentType, bytes);
  const model = form.get('model');
  const file = form.get('file');
  if (typeof model !== 'string') throw new Refusal(400, 'invalid_request_error', 'model must be a text', 'model');
  if (!(file instanceof File) || file.size === 0) {
    throw new Refusal(400, 'invalid_request_error', 'file must be a clip: the audio is missing or empty', 'file');
  }
  const clip = media('audio', Buffer.from(await file.arrayBuffer()));
  const asked = form.get('response_format');
  const format = typeof asked === 'string' ? asked : 'json';
  const { tokens } = profileOf(state, model, 'transcription');
  const inputTokens = Math.ceil(clip.seconds * tokens.perAudioSecond);
  return serveCall(state, {
    model,
    task: 'transcription',
    content: `${model} ${clip.sha256}`,
    inputTokens,
    longest: inputTokens,
    gone,
    work: (profile) => {
      const tuple = state.truth.byMedia(clip.sha256);
      if (tuple?.transcript === undefined) {
        state.counts.of(model).unanswered++;
        const why = tuple === undefined ? 'is not registered' : 'has no transcript';
        return {
          reply: errorReply(501, 'not_simulated', `The simulated pool cannot transcribe: the clip ${why}.`),
          outputTokens: 0,
        };
      }
      const rate = profile.transcription?.wordErrorRate ?? 0;
      const text = heard(tuple.transcript, rate, ['heard', state.seed, model, tuple.collection, tuple.id]);
      // what was heard stands for the row in the prompts that follow
      state.truth.alias(tuple, text);
      const counts = state.counts.of(model);
      counts.tuples++;
      counts.audioSeconds += clip.seconds;
      const outputTokens = Math.ceil(text.length / tokens.charsPerToken);
      const usage = {
        type: 'tokens',
        input_tokens: inputTokens,
        output_tokens: outputTokens,
        total_tokens: inputTokens + outputTokens,
      };
      const detail = format === 'verbose_json' ? { language: 'english', duration: clip.seconds, segments: [] } : {};
      const body = format === 'text' ? text : { text, usage, system_fingerprint: fingerprint, ...detail };
      return { reply: { status: 200, body }, outputTokens };
    },
  });
}

async function formOf(contentType: string, bytes: Buffer): Promise<FormData> {
  try {
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- one local client and small bodies
    return await new Response(new Uint8Array(bytes), { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new Refusal(400, 'invalid_request_error', 'the body is no multipart form');
  }
}

/** The transcript with a share of its words dropped or taken for another of its words. */
function heard(transcript: string, rate: number, names: readonly (string | number)[]): string {
  const random = drawsOf(...names);
  const words = transcript.split(/\s+/);
  return words
    .flatMap((word) => {
      if (random.uniform() >= rate) return [word];
      return random.uniform() < 0.3 ? [] : [pick(random, words) ?? word];
    })
    .join(' ');
}
