/** A check for each model of the project. No call that costs money is made. */
import type { Settings } from '../../workers/config/settings.js';
import type { Check, Finding, Patient } from './check.js';

type ModelSettings = Settings['models'][string];
type Endpoint = Extract<ModelSettings, { readonly kind: 'openai' }>;
type Local = Exclude<ModelSettings, Endpoint>;

/** Limit for an endpoint's answer, in ms. */
const endpointMs = 10_000;

async function localWeights(model: Local, { context, settings }: Patient): Promise<Finding> {
  const listed = await context.services.weights(settings.modelsDir);
  const entry = listed.find((candidate) => candidate.name === model.weights);
  if (!entry) return { ok: true, detail: `file ${model.weights}` };
  const hint = `fermata models pull ${entry.name}`;
  return entry.state === 'ready'
    ? { ok: true, detail: `${entry.name} is here, SHA-256 as expected` }
    : { ok: false, detail: `${entry.name} is ${entry.state}`, hint };
}

/** Replies to `GET /models` that say something; a server without that route still answers. */
const replies: Readonly<Record<number, Finding>> = {
  401: { ok: false, detail: 'the endpoint refuses the key (401)', hint: 'check the key' },
  403: { ok: false, detail: 'the key may not use this endpoint (403)', hint: 'check the key and its rights' },
  404: { ok: true, detail: 'answers, but has no list of models' },
  405: { ok: true, detail: 'answers, but has no list of models' },
};

async function endpoint(model: Endpoint, { context }: Patient): Promise<Finding> {
  const key = context.place.env[model.apiKeyEnv];
  const keyText = key ? `${model.apiKeyEnv} is set` : `${model.apiKeyEnv} is not set`;
  try {
    const reply = await context.services.fetch(`${model.baseUrl.replace(/\/+$/, '')}/models`, {
      headers: key ? { authorization: `Bearer ${key}` } : {},
      signal: AbortSignal.timeout(endpointMs),
    });
    await reply.body?.cancel();
    if (reply.ok) return { ok: true, detail: `${model.baseUrl} answers, ${keyText}` };
    const known = replies[reply.status] ?? { ok: false, detail: `the endpoint answers ${reply.status}` };
    return { ...known, detail: `${model.baseUrl}: ${known.detail}, ${keyText}` };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return {
      ok: false,
      detail: `${model.baseUrl} cannot be reached: ${why}`,
      hint: 'check the address and that the endpoint runs',
    };
  }
}

/** Default models are required; the others are told as warnings. */
export function modelChecks(settings: Settings): readonly Check[] {
  const defaults = new Set([settings.defaults.llm, settings.defaults.embedder]);
  return Object.entries(settings.models).map(([name, model]) => ({
    name: `model ${name}`,
    required: defaults.has(name),
    examine: (patient) => (model.kind === 'openai' ? endpoint(model, patient) : localWeights(model, patient)),
  }));
}
