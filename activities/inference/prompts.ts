import { hash } from 'node:crypto';
import { attachMedia, buildRequest, type PromptInput, requestFingerprint } from '../../plans/operators/index.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import type { RequestOptions } from '../../plans/operators/request.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { PromptRequest } from '../../plans/protocol/model.js';
import { parseMediaRef } from '../../plans/relation/media-ref.js';
import type { InputRow, Model, ModelRequest, ObjectStore } from '../ports.js';

/** A rendered input: what is asked, with media by hash, and the ledger's key for its answer. */
export interface Prompt {
  readonly row: InputRow;
  readonly request: PromptRequest;
  readonly key: string;
  /** Why it cannot be asked: its image or clip is of no use. */
  readonly problem?: CallError;
}

/**
 * Renders one input. The key covers everything that the answer depends on; with `salt` it is of this run alone, so that
 * answers of earlier runs stay unread.
 */
export function renderInput(
  call: SemanticCall,
  row: InputRow,
  model: Model,
  salt?: string,
  options: RequestOptions = {},
): Prompt {
  const values = call.inputs.map((input, at): PromptInput => {
    const value = row.values[at] ?? '';
    return input.modality === 'text' ? value : (parseMediaRef(value) ?? value);
  });
  const request = model.language === undefined ? bareRequest(call, values) : buildRequest(call, values, options);
  const fingerprint = requestFingerprint(model.identity, request);
  const key = hash('sha256', salt === undefined ? fingerprint : `${salt}\n${fingerprint}`);
  return { row, request, key };
}

/** A request of text alone is ready as it is. */
export function isText(request: PromptRequest): request is PromptRequest & ModelRequest {
  return request.content.every((part) => part.type === 'text');
}

/**
 * What a specialised model reads: the values alone. Instructions and fences would move a vector; what the answer depends on
 * besides is the language of a clip.
 */
function bareRequest(call: SemanticCall, values: readonly PromptInput[]): PromptRequest {
  const { parameters } = call;
  const system = parameters.kind === 'transcribe' ? (parameters.language ?? '') : '';
  const media = values.filter((value) => typeof value !== 'string');
  const text = values.filter((value) => typeof value === 'string').join('\n');
  return { ...buildRequest(call, values), system, content: media.length > 0 ? media : [{ type: 'text', text }] };
}

/** The request with the bytes of its media; only now, since a cached answer needs none. Throws `CallError` `badMedia`. */
export async function loadMedia(request: PromptRequest, store: ObjectStore): Promise<ModelRequest> {
  const hashes = request.content.flatMap((part) => (part.type === 'text' ? [] : [part.hash]));
  const bytes = new Map<string, Uint8Array>();
  try {
    for (const hash of hashes) bytes.set(hash, await store.get(hash));
  } catch (error) {
    throw new CallError('badMedia', error instanceof Error ? error.message : String(error), { cause: error });
  }
  return attachMedia(request, bytes);
}
