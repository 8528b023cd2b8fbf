import type { ContentPart, ModelRequest } from '../../../../activities/ports.js';
import type { ModelSettings } from '../../../../workers/config/settings.js';

type OpenAiSettings = Extract<ModelSettings, { kind: 'openai' }>;

/** A yes-or-no request about a text. */
export function yesNo(text: string, over: Partial<ModelRequest> = {}): ModelRequest {
  const content: ContentPart[] = [{ type: 'text', text }];
  return {
    system: 'Decide whether the statement holds. Reply with {"answer": true} or {"answer": false}.',
    content,
    output: { kind: 'boolean' },
    maxOutputTokens: 32,
    temperature: 0,
    confidence: false,
    ...over,
  };
}

/** Settings of a model behind an endpoint. */
export function endpointModel(baseUrl: string, over: Partial<OpenAiSettings> = {}): OpenAiSettings {
  return {
    kind: 'openai',
    model: 'stub-1',
    task: 'chat',
    baseUrl,
    apiKeyEnv: 'TEST_KEY',
    timeoutMs: 5_000,
    omit: [],
    jsonSchema: true,
    modalities: ['text'],
    limits: { concurrency: 8 },
    ...over,
  };
}

export const never: AbortSignal = new AbortController().signal;
