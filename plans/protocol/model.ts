/**
 * What is asked of a model and what it says: shared by the planner, which builds requests and prices them without making
 * a call, and by the activities, which make the calls.
 */
import type { OutputType } from '../operators/output.js';

export interface Usage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const modalities = ['text', 'image', 'audio'] as const;
export type Modality = (typeof modalities)[number];

/** USD per million tokens, or USD an hour of local compute; absent means unknown, never free. */
export type Price =
  | { readonly unit: 'tokens'; readonly inputPerMTok: number; readonly outputPerMTok: number }
  | { readonly unit: 'hour'; readonly usdPerHour: number };

/** An image or audio clip by its content: enough to build, key and price a request without reading the bytes. */
export interface MediaRef {
  readonly type: 'image' | 'audio';
  readonly mediaType: string;
  /** Lower-case hex SHA-256 of the bytes. */
  readonly hash: string;
}

export interface TextPart {
  readonly type: 'text';
  readonly text: string;
}

/** A part of a rendered prompt whose media are not loaded yet. */
export type PromptPart = TextPart | MediaRef;

export type ContentPart =
  | TextPart
  | { readonly type: 'image'; readonly mediaType: string; readonly bytes: Uint8Array }
  | { readonly type: 'audio'; readonly mediaType: string; readonly bytes: Uint8Array };

interface RequestOf<Part> {
  /** Instructions of ours; never holds values from data. */
  readonly system: string;
  /** The rendered prompt. */
  readonly content: readonly Part[];
  /** Earlier exchange for a repair call: what the model said and what was wrong with it. */
  readonly repair?: { readonly reply: string; readonly problem: string };
  /** `string` means free text; anything else is asked for as JSON `{"answer": …}`. */
  readonly output: OutputType;
  readonly maxOutputTokens: number;
  readonly temperature: number;
  readonly seed?: number;
  /** Ask for token probabilities, where the backend has them. */
  readonly confidence: boolean;
}

/** A request that names its media by hash: what keys and prices are made of. */
export type PromptRequest = RequestOf<PromptPart>;

/** A request that is ready to be sent. */
export type ModelRequest = RequestOf<ContentPart>;

export interface ModelReply {
  /** The model's own words, unparsed. */
  readonly text: string;
  /** Absent where the endpoint reports none; the caller then estimates and says so. */
  readonly usage?: Usage;
  /** In [0,1]: probability of the answer, where asked for and known. */
  readonly confidence?: number;
}
