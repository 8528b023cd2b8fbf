import { FermataError } from '../../plans/protocol/errors.js';

/** Where OpenAI's own service is. */
export const openAiBaseUrl = 'https://api.openai.com/v1';

/**
 * The base of an endpoint's paths, without a trailing slash. A URL that is a host alone gets `/v1`, as such servers have
 * it; a whole path down to `/chat/completions` is cut to its base. Throws `FermataError` `BadConfig`.
 *
 * @example normalizeBaseUrl('http://localhost:8000/') // 'http://localhost:8000/v1'
 */
export function normalizeBaseUrl(text: string, origin: string): string {
  const trimmed = text.trim();
  if (!/^https?:\/\//i.test(trimmed) || !URL.canParse(trimmed)) {
    throw new FermataError('BadConfig', `${origin}: not an http or https URL`, {
      hint: 'Give it like https://host/v1 or http://localhost:8000.',
    });
  }
  const url = new URL(trimmed);
  if (url.username !== '' || url.password !== '') {
    throw new FermataError('BadConfig', `${origin}: a URL must not hold a user or password`, {
      hint: 'Put the secret in an environment variable and name it in apiKeyEnv.',
    });
  }
  const path = url.pathname.replace(/\/+$/, '').replace(/\/(chat\/completions|embeddings)$/, '');
  return `${url.origin}${path === '' ? '/v1' : path}`;
}
