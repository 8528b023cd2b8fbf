import { hash } from 'node:crypto';
import { attachMedia, buildRequest, type PromptInput, requestFingerprint } from '../../plans/operators/index.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import type { PromptRequest } from '../../plans/protocol/model.js';
import { parseMediaRef } from '../../plans/relation/media-ref.js';
import type { InputRow, Model, ModelRequest, ObjectStore } from '../ports.js';

/** A rendered input: what is asked, with media by hash, and the ledger's key for its answer. */
export interface Prompt {
  readonly row: InputRow;
  readonly request: PromptRequest;
  readonly key: string;
}

/**
 * Renders one input. The key covers everything that the answer depends on; with `salt` it is of this run alone, so that
 * answers of earlier runs stay unread.
 */
export function renderInput(call: SemanticCall, row: InputRow, model: Model, salt?: string): Prompt {
  const values = call.inputs.map((input, at): PromptInput => {
    const value = row.values[at] ?? '';
    return input.modality === 'text' ? value : (parseMediaRef(value) ?? value);
  });
  const request = model.language === undefined ? bareRequest(call, values) : buildRequest(call, values);
  const fingerprint = requestFingerprint(model.identity, request);
  const key = hash('sha256', salt === undefined ? fingerprint : `${salt}\n${fingerprint}`);
  return { row, request, key };
}

/** A request of text alone is ready as it is. */
export function isText(request: PromptRequest): request is PromptRequest & ModelRequest {
  return request.content.every((part) => part.type === 'text');
}

/** What an embedding model reads: the values alone, since instructions and fences would move the vector. */
function bareRequest(call: SemanticCall, values: readonly PromptInput[]): PromptRequest {
  const text = values.filter((value) => typeof value === 'string').join('\n');
  return { ...buildRequest(call, values), system: '', content: [{ type: 'text', text }] };
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
