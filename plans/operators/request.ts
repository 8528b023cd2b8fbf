import { FermataError } from '../protocol/errors.js';
import type { ModelRequest, PromptRequest } from '../protocol/model.js';
import type { SemanticCall } from './call.js';
import { type PromptInput, renderPrompt } from './prompt.js';
import { semanticOperators } from './registry.js';
import { replyShape } from './shape.js';

export interface RequestOptions {
  /** Default 0: the likeliest answer. */
  readonly temperature?: number;
  readonly seed?: number;
  /** Ask for token probabilities; default false. */
  readonly confidence?: boolean;
  /** In place of the operator's own bound, e.g. for a model that thinks aloud. */
  readonly maxOutputTokens?: number;
}

/**
 * The request that asks one semantic operator about one tuple. `inputs` are the values of `call.inputs`, none of them
 * NULL: NULL in gives NULL out, and asks nobody.
 *
 * @example
 * const request = buildRequest(call, ['My brakes failed.']);
 */
export function buildRequest(
  call: SemanticCall,
  inputs: readonly PromptInput[],
  options: RequestOptions = {},
): PromptRequest {
  const operator = semanticOperators[call.parameters.kind];
  return {
    system: operator.system(call),
    content: contentOf(call, inputs),
    output: call.output,
    maxOutputTokens: options.maxOutputTokens ?? operator.maxOutputTokens(call, inputs),
    temperature: options.temperature ?? 0,
    ...(options.seed === undefined ? {} : { seed: options.seed }),
    confidence: options.confidence ?? false,
  };
}

function contentOf(call: SemanticCall, inputs: readonly PromptInput[]): PromptRequest['content'] {
  const { ask, render } = semanticOperators[call.parameters.kind];
  if (render === undefined) return renderPrompt(call.template, inputs, (intent) => ask(intent, call));
  return [
    {
      type: 'text',
      text: render(
        inputs.filter((input) => typeof input === 'string'),
        call,
      ),
    },
  ];
}

/** Puts the bytes of images and clips, by their hash, into a request. Throws `BadMedia` when one is not there. */
export function attachMedia(request: PromptRequest, bytes: ReadonlyMap<string, Uint8Array>): ModelRequest {
  const content = request.content.map((part) => {
    if (part.type === 'text') return part;
    const found = bytes.get(part.hash);
    if (found === undefined) throw new FermataError('BadMedia', `The ${part.type} ${part.hash} was not loaded.`);
    return { type: part.type, mediaType: part.mediaType, bytes: found };
  });
  return { ...request, content };
}

/** Longest part of an unusable reply that is sent back, in UTF-16 units. */
const replyShown = 1000;

/** The one further call that a row gets after an unusable reply: the same question, the reply, and what was wrong with it. */
export function repairRequest<R extends PromptRequest | ModelRequest>(request: R, reply: string, problem: string): R {
  const shape = request.output.kind === 'string' ? 'the text asked for' : `JSON: ${replyShape(request.output)}`;
  return {
    ...request,
    repair: { reply: reply.slice(0, replyShown), problem: `${problem} Reply only with ${shape}` },
  };
}
