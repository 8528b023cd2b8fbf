/**
 * The interfaces through which activities reach the world. Implementations live in `workers/runtime`; tests may bring
 * their own. Nothing here names a library.
 */
import type { JsonValue } from '../plans/protocol/json.js';
import type { RunPlan } from '../plans/protocol/run-plan.js';
import type { SpendLimits } from '../plans/protocol/spend.js';
import type { MediaRef, Modality, ModelReply, ModelRequest, Price, Usage } from '../plans/protocol/model.js';

export { modalities } from '../plans/protocol/model.js';
export type {
  ContentPart,
  MediaRef,
  Modality,
  ModelReply,
  ModelRequest,
  Price,
  Usage,
} from '../plans/protocol/model.js';

// ---------------------------------------------------------------- objects

/** Lower-case hex SHA-256 of an object's bytes. */
export type ObjectHash = string;

/**
 * Content-addressed, immutable objects, and a few small named ones. Writes are atomic: a reader sees all or nothing.
 * Missing objects throw `FermataError` `ObjectMissing`; an unreachable store throws `StoreUnreachable`.
 */
export interface ObjectStore {
  /** Stores bytes under their hash; a no-op when they are there already. */
  put(bytes: Uint8Array): Promise<ObjectHash>;
  /** Stores a local file under its hash without reading it whole into memory. */
  putFile(path: string): Promise<{ readonly hash: ObjectHash; readonly bytes: number }>;
  has(hash: ObjectHash): Promise<boolean>;
  get(hash: ObjectHash): Promise<Uint8Array>;
  /** A path on this machine that holds the object's bytes (read only): DuckDB and decoders read files. */
  localPath(hash: ObjectHash): Promise<string>;
  /** Named objects: `name` is `/`-separated segments of `[A-Za-z0-9._-]+`. Overwrites. */
  putNamed(name: string, bytes: Uint8Array): Promise<void>;
  /** Stores a local file under a name. */
  putNamedFile(name: string, path: string): Promise<void>;
  getNamed(name: string): Promise<Uint8Array | undefined>;
  /** A path on this machine that holds the named object's bytes now. */
  localPathNamed(name: string): Promise<string>;
  /** Names that begin with `prefix`, in order. */
  listNamed(prefix: string): AsyncIterable<string>;
  removeNamed(prefix: string): Promise<void>;
}

// ---------------------------------------------------------------- models

/** One generative model. Throws `CallError` and nothing else. */
export interface LanguageModel {
  complete(request: ModelRequest, signal: AbortSignal): Promise<ModelReply>;
}

/** Texts to unit vectors, all of one length. Throws `CallError`. */
export interface Embedder {
  readonly dimensions: number;
  embed(
    texts: readonly string[],
    signal: AbortSignal,
  ): Promise<{ readonly vectors: readonly Float32Array[]; readonly usage?: Usage }>;
}

/** A point of an image, in its pixels from the upper left corner, as the image is to be looked at (EXIF rotation applied). */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** One line of text found in an image. */
export interface TextLine {
  readonly text: string;
  /** Mean probability of its characters, in [0,1]. */
  readonly score: number;
  /** Corners, clockwise from the upper left one as the line is read. */
  readonly box: readonly [Point, Point, Point, Point];
}

export interface ReadText {
  /** In reading order: from top to bottom, within a row from left to right. */
  readonly lines: readonly TextLine[];
  /** Size of the image, in pixels. */
  readonly width: number;
  readonly height: number;
}

/** Finds and reads the text in images. `image` is an encoded file. Throws `CallError`, `badMedia` for what is no image. */
export interface OcrReader {
  read(image: Uint8Array, signal: AbortSignal): Promise<ReadText>;
}

export interface ImageClass {
  readonly label: string;
  /** Probability among all labels of the model, in [0,1]. */
  readonly score: number;
}

/** Tells which of a fixed set of classes an image shows. Throws `CallError`. */
export interface ImageClassifier {
  /** Loads the model. */
  labels(): Promise<readonly string[]>;
  /** The `k` likeliest classes, likeliest first; `k` is cut to the number of labels. */
  classify(image: Uint8Array, k: number, signal: AbortSignal): Promise<readonly ImageClass[]>;
}

/** Images to unit vectors, all of one length. Throws `CallError`. */
export interface ImageEmbedder {
  readonly dimensions: number;
  embed(images: readonly Uint8Array[], signal: AbortSignal): Promise<{ readonly vectors: readonly Float32Array[] }>;
}

export interface SpeechSegment {
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** Mean probability of speech over the segment, in [0,1]. */
  readonly score: number;
}

/** Finds where a clip holds speech. `audio` is an encoded file. Throws `CallError`, `badMedia` for what is no audio. */
export interface SpeechDetector {
  detect(
    audio: Uint8Array,
    signal: AbortSignal,
  ): Promise<{ readonly segments: readonly SpeechSegment[]; readonly seconds: number }>;
}

export interface TranscriptOptions {
  /** ISO 639-1 code of the language spoken, where known. */
  readonly language?: string;
  /** Words that may come up: names, spellings. */
  readonly prompt?: string;
}

export interface Transcript {
  /** Empty for a clip without sound. */
  readonly text: string;
  readonly language?: string;
  /** Length of the clip. */
  readonly seconds: number;
  /** Absent where the endpoint reports none: most bill by the second. */
  readonly usage?: Usage;
}

/** Speech to text. `audio` is an encoded file. Throws `CallError`. */
export interface Transcriber {
  transcribe(audio: Uint8Array, options: TranscriptOptions, signal: AbortSignal): Promise<Transcript>;
}

export interface Limits {
  readonly concurrency: number;
  /** Requests a minute. */
  readonly rpm?: number;
  /** Tokens a minute, input and output together. */
  readonly tpm?: number;
  /** Further passes over inputs whose calls fail for passing reasons; the workflow's policy has a default. */
  readonly retries?: number;
}

/** A model as configured, opened on first use. */
export interface Model {
  readonly name: string;
  /** Name and version as they enter the ledger key, e.g. `openai:gpt-4o-mini` or `llama:<sha256 of weights>`. */
  readonly identity: string;
  /** Where it is asked, for messages: a base URL. Absent for a model within the process. */
  readonly endpoint?: string;
  readonly modalities: readonly Modality[];
  readonly price?: Price;
  readonly limits: Limits;
  /** Largest prompt plus answer, in tokens, where known. */
  readonly contextTokens?: number;
  /** At temperature 0 the same request gives the same reply: asking it again after a bad one is of no use. */
  readonly deterministic?: boolean;
  readonly language?: LanguageModel;
  readonly embedder?: Embedder;
  readonly ocr?: OcrReader;
  readonly imageClassifier?: ImageClassifier;
  readonly imageEmbedder?: ImageEmbedder;
  readonly speechDetector?: SpeechDetector;
  readonly transcriber?: Transcriber;
}

export interface Models {
  /** Throws `FermataError` `UnknownModel` or `NoModel`. */
  get(name: string): Promise<Model>;
  close(): Promise<void>;
}

/** Admits calls to one model within its concurrency, rpm and tpm limits; fair in order of arrival. */
export interface CallGate {
  /** Resolves to a release function once a call of about `tokens` may start. */
  enter(model: Model, tokens: number, signal: AbortSignal): Promise<() => void>;
  /** No call to this model starts before `ms` from now: an endpoint said Retry-After. */
  pause(model: Model, ms: number): void;
}

// ---------------------------------------------------------------- media

/** An image as endpoints take it: JPEG or PNG, upright, within a size. */
export interface PreparedImage extends MediaRef {
  /** In pixels. */
  readonly width: number;
  readonly height: number;
}

/** A clip as models take it: WAV, 16 kHz, mono, 16 bits a sample. */
export interface PreparedAudio extends MediaRef {
  readonly seconds: number;
  /** Root mean square of the samples in decibels below full scale, at most 0; -120 for digital silence. */
  readonly rmsDb: number;
  /** The loudest sample likewise. */
  readonly peakDb: number;
}

/**
 * Brings stored media into the form that models take, once: the result is an object of the store, found again by the hash
 * of the source and the parameters. Throws `CallError` `badMedia` for what cannot be used, and what the store throws.
 */
export interface MediaPreparer {
  image(source: MediaRef): Promise<PreparedImage>;
  audio(source: MediaRef): Promise<PreparedAudio>;
  /** What has been prepared of a source; undefined where nothing has. Makes nothing. */
  find(source: MediaRef): Promise<PreparedImage | PreparedAudio | undefined>;
}

// ---------------------------------------------------------------- ledger

/** Key of an answer: sha256 of model identity, parameters, rendered prompt, media hashes, replica. */
export type AnswerKey = string;

export interface Answer {
  readonly value: JsonValue;
  readonly confidence?: number;
  readonly usage: Usage;
  readonly usd: number;
  /** Milliseconds that the call took. */
  readonly ms: number;
  /** The run that bought it. */
  readonly runId: string;
}

/** What a run has used so far. Counters only grow. */
export interface Spend {
  readonly calls: number;
  /** Calls for a key that the run had already called for. */
  readonly retries: number;
  /** Sums of the holders' tallies. */
  readonly answered: number;
  readonly cached: number;
  readonly failed: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number;
  /** Calls whose price or usage is not known; `usd` leaves them out. */
  readonly unpriced: number;
  /** USD that the cached answers would have cost. */
  readonly savedUsd: number;
}

/** Set aside before a call is made; released or turned into spend after it. */
export interface Reservation {
  readonly runId: string;
  /** Who holds it: one partition attempt. A new attempt of the same holder replaces what a dead one left behind. */
  readonly holder: string;
}

export type { SpendLimits };

export interface Ledger {
  /** Answers in the order of the keys. */
  lookup(keys: readonly AnswerKey[]): Promise<readonly (Answer | undefined)[]>;
  /** Forgets what an earlier attempt of this holder had reserved. Call once at the start of an attempt. */
  open(reservation: Reservation): Promise<void>;
  /** Sets aside one call of at most `usd` and `tokens`; false when the run's limits do not allow it. Atomic across processes. */
  reserve(
    reservation: Reservation,
    call: { readonly usd: number; readonly tokens: number },
    limits: SpendLimits,
  ): Promise<boolean>;
  /** Writes the answer (if any) first, then turns one reserved call into spend, both durable when this resolves. */
  settle(
    reservation: Reservation,
    operator: string,
    reserved: { readonly usd: number; readonly tokens: number },
    result: CallResult,
  ): Promise<void>;
  /**
   * Sets (not adds) what this holder has contributed to the run's counters besides calls, so that a re-executed partition
   * counts once.
   */
  tally(reservation: Reservation, operator: string, tally: Tally): Promise<void>;
  /** Spend of a run: of one operator, or of all. */
  spend(runId: string, operator?: string): Promise<Spend>;
  /** Totals of the whole store, for `fermata cache stats`. */
  stats(): Promise<{ readonly answers: number; readonly bytes: number; readonly usd: number }>;
  /** Removes all answers; spend of runs stays. Returns how many. */
  clear(): Promise<number>;
  close(): Promise<void>;
}

export interface Tally {
  /** Inputs that have an answer, bought or found. */
  readonly answered: number;
  /** Answers that were found instead of bought. */
  readonly cached: number;
  /** USD that the found answers had cost. */
  readonly savedUsd: number;
  /** Inputs whose call failed for good. */
  readonly failed: number;
}

export interface CallResult {
  readonly key: AnswerKey;
  /** Absent when the call failed: its spend counts all the same. */
  readonly answer?: Answer;
  /** Further answers that the same call brought; its usage and price cover them. */
  readonly others?: readonly { readonly key: AnswerKey; readonly answer: Answer }[];
  readonly usage: Usage;
  /** Absent when the price or the usage is unknown. */
  readonly usd?: number;
  /** True for a second or later call for the same key within the run. */
  readonly retry: boolean;
}

export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
}

// ---------------------------------------------------------------- partitions

/** One distinct input of a semantic call. */
export interface InputRow {
  readonly in: number;
  /** Rows that share it. */
  readonly n: number;
  /** Values of the call's inputs as text; media as `object:<sha256>`. */
  readonly values: readonly string[];
}

export type AnswerRow =
  | { readonly in: number; readonly state: 'ok'; readonly value: string; readonly confidence?: number }
  | { readonly in: number; readonly state: 'error'; readonly code: string; readonly message: string }
  | { readonly in: number; readonly state: 'undecided' };

/** Arrow IPC form of partitions. */
export interface PartitionCodec {
  decodeInputs(bytes: Uint8Array): readonly InputRow[];
  /** `arity`: values of each row. */
  encodeInputs(rows: readonly InputRow[], arity: number): Uint8Array;
  decodeAnswers(bytes: Uint8Array): readonly AnswerRow[];
  encodeAnswers(rows: readonly AnswerRow[]): Uint8Array;
}

/** What an activity may know of its own execution. */
export interface ActivityScope {
  /** Aborts when the activity is told to stop, or its worker shuts down. */
  readonly stop: AbortSignal;
  heartbeat(): void;
}

/** Publishes `RunProgress` records, at most one a second a run. */
export interface ProgressPublisher {
  /** Cheap; reads the ledger only when a record is due. */
  touch(plan: RunPlan): void;
}
