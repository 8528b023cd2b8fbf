/** Silero VAD: where a clip holds speech. */
import type { SpeechDetector, SpeechSegment } from '../../../../activities/ports.js';
import { openAudio, sampleRate } from '../../media/audio/open-audio.js';
import {
  createSession,
  loadRuntime,
  localFailure,
  type Provider,
  type Runtime,
  type Session,
} from '../onnx/runtime.js';

/** Samples that the network judges at a time, and samples before them that it sees too. */
const frame = 512;
const context = 64;
const stateDims: readonly number[] = [2, 1, 128];

/** Probability from which speech begins, and below which it ends: the lower one keeps a word whole. */
const thresholds = { begin: 0.5, end: 0.35 } as const;
/** In samples: shorter speech is a click; shorter pauses do not end a segment; segments are widened by the margin. */
const spans = { speech: 0.25 * sampleRate, pause: 0.1 * sampleRate, margin: 0.03 * sampleRate } as const;

export interface VoiceNetwork {
  readonly runtime: Runtime;
  readonly session: Session;
  close(): Promise<void>;
}

/** Throws `CallError` `backendMissing`. */
export async function loadVoiceNetwork(path: string, providers: readonly Provider[]): Promise<VoiceNetwork> {
  const runtime = await loadRuntime();
  const session = await createSession(runtime, path, providers);
  return { runtime, session, close: () => session.release() };
}

interface Open {
  start: number;
  /** Where a pause began that may be the end. */
  pause: number | undefined;
  sum: number;
  frames: number;
}

/** Turns probabilities a frame into segments. */
export class SegmentFinder {
  readonly segments: SpeechSegment[] = [];
  #open: Open | undefined;
  #at = 0;

  /** The probability of speech in the next frame. */
  add(probability: number): void {
    const open = this.#open;
    if (open === undefined) {
      if (probability >= thresholds.begin) {
        this.#open = { start: this.#at, pause: undefined, sum: probability, frames: 1 };
      }
    } else {
      open.sum += probability;
      open.frames++;
      if (probability >= thresholds.begin) open.pause = undefined;
      else if (probability < thresholds.end) open.pause ??= this.#at;
      if (open.pause !== undefined && this.#at + frame - open.pause >= spans.pause) this.#close(open, open.pause);
    }
    this.#at += frame;
  }

  /** Ends the clip, of so many samples. */
  finish(samples: number): readonly SpeechSegment[] {
    if (this.#open !== undefined) this.#close(this.#open, this.#open.pause ?? samples);
    return this.segments.map((segment, at) => this.#widened(segment, at, samples / sampleRate));
  }

  #close({ start, sum, frames }: Open, end: number): void {
    this.#open = undefined;
    if (end - start < spans.speech) return;
    this.segments.push({ startSeconds: start / sampleRate, endSeconds: end / sampleRate, score: sum / frames });
  }

  /** With the margin on both sides, at most to the middle of the pauses beside it. */
  #widened(segment: SpeechSegment, at: number, seconds: number): SpeechSegment {
    const margin = spans.margin / sampleRate;
    const before = this.segments[at - 1]?.endSeconds;
    const after = this.segments[at + 1]?.startSeconds;
    const earliest = before === undefined ? 0 : (before + segment.startSeconds) / 2;
    const latest = after === undefined ? seconds : (after + segment.endSeconds) / 2;
    return {
      ...segment,
      startSeconds: Math.max(earliest, segment.startSeconds - margin),
      endSeconds: Math.min(latest, segment.endSeconds + margin),
    };
  }
}

/** Judges one frame after the other: the network remembers what came before in `state`. */
class Listener {
  readonly #network: VoiceNetwork;
  readonly #window = new Float32Array(context + frame);
  #state: Float32Array = new Float32Array(stateDims.reduce((product, size) => product * size, 1));

  constructor(network: VoiceNetwork) {
    this.#network = network;
  }

  async judge(samples: Float32Array): Promise<number> {
    const { runtime, session } = this.#network;
    this.#window.copyWithin(0, frame);
    this.#window.fill(0, context);
    this.#window.set(samples, context);
    const outputs = await session
      .run({
        input: new runtime.Tensor('float32', this.#window, [1, this.#window.length]),
        state: new runtime.Tensor('float32', this.#state, stateDims),
        sr: new runtime.Tensor('int64', BigInt64Array.of(BigInt(sampleRate)), []),
      })
      .catch(localFailure);
    const [probability, state] = session.outputNames.map((name) => outputs[name]?.data as Float32Array | undefined);
    if (state !== undefined) this.#state = Float32Array.from(state);
    return probability?.[0] ?? 0;
  }
}

/** Finds speech by the network that `load` gives. */
export function speechDetector(load: () => Promise<VoiceNetwork>): SpeechDetector {
  return {
    async detect(audio, signal) {
      const listener = new Listener(await load());
      const finder = new SegmentFinder();
      let samples = 0;
      let held = new Float32Array();
      for await (const block of openAudio({ bytes: audio })) {
        signal.throwIfAborted();
        samples += block.length;
        const joined = new Float32Array(held.length + block.length);
        joined.set(held);
        joined.set(block, held.length);
        let at = 0;
        for (; at + frame <= joined.length; at += frame)
          finder.add(await listener.judge(joined.subarray(at, at + frame)));
        held = joined.slice(at);
      }
      if (held.length > 0) finder.add(await listener.judge(held));
      return { segments: finder.finish(samples), seconds: samples / sampleRate };
    },
  };
}
