import { judgeFact } from '../answers/judge.js';
import { answerLabel } from '../answers/labels.js';
import type { ModelProfile } from '../profile.schema.js';
import { drawsOf, hashOf } from '../random.js';
import { holds } from '../truth/choose.js';
import { readPrompt } from '../truth/items.js';
import { normalise } from '../truth/words.js';
import { fingerprint } from './chat.js';
import { type PoolState, profileOf, type Reply, serveCall } from './pipeline.js';
import { Refusal } from './request.js';

/** Places of the vector that a word marks, with a sign each. */
const marks = 8;

/** `POST /v1/embeddings`. */
export function embeddings(
  state: PoolState,
  body: Readonly<Record<string, unknown>>,
  content: string,
  gone: AbortSignal,
): Promise<Reply | undefined> {
  const { model, input, encoding_format: encoding } = body;
  if (typeof model !== 'string') throw new Refusal(400, 'invalid_request_error', 'model must be a string', 'model');
  const texts: unknown = typeof input === 'string' ? [input] : input;
  if (!Array.isArray(texts) || texts.length === 0 || !texts.every((text) => typeof text === 'string')) {
    throw new Refusal(400, 'invalid_request_error', 'input must be a text or a list of texts', 'input');
  }
  if (body['dimensions'] !== undefined) {
    throw new Refusal(
      400,
      'unsupported_parameter',
      "Unsupported parameter: 'dimensions' is not supported with this model.",
      'dimensions',
    );
  }
  const { tokens } = profileOf(state, model, 'embedding');
  const sizes = texts.map((text: string) => Math.ceil(text.length / tokens.charsPerToken));
  const inputTokens = sizes.reduce((sum, size) => sum + size, 0);
  return serveCall(state, {
    model,
    task: 'embedding',
    content,
    inputTokens,
    longest: Math.max(...sizes),
    gone,
    work: (profile) => ({
      outputTokens: 0,
      reply: {
        status: 200,
        body: {
          object: 'list',
          model,
          system_fingerprint: fingerprint,
          data: texts.map((text: string, index) => {
            const vector = embed(state, model, profile, text);
            const embedding = encoding === 'base64' ? Buffer.from(vector.buffer).toString('base64') : [...vector];
            return { object: 'embedding', index, embedding };
          }),
          usage: { prompt_tokens: inputTokens, total_tokens: inputTokens },
        },
      },
    }),
  });
}

/**
 * Unit vector of a text: its class's direction and its words', weighted by the profile's signal. A known row has the class
 * that the model takes it for; any other text the classes that it names.
 */
function embed(state: PoolState, model: string, profile: ModelProfile, text: string): Float32Array {
  const { dimensions, signal } = profile.embedding ?? { dimensions: 128, signal: 0 };
  const classes = classesOf(state, model, profile, text);
  const words = unit(wordVector(text, dimensions));
  if (classes.length === 0) return words;
  const centre = unit(
    sumOf(
      classes.map((name) => direction(state.seed, model, name, dimensions)),
      dimensions,
    ),
  );
  return unit(words.map((x, at) => (1 - signal) * x + signal * (centre[at] ?? 0)));
}

function classesOf(state: PoolState, model: string, profile: ModelProfile, text: string): readonly string[] {
  const { truth, difficulty, seed } = state;
  const { items } = readPrompt(truth, [{ kind: 'text', text }], '');
  const [tuple] = items.map((item) => item.tuple).filter(({ about }) => about !== undefined);
  const all = [...truth.embeddingClasses()];
  if (tuple?.about === undefined) {
    const said = normalise(text);
    return all.filter((name) => holds(said, normalise(name)));
  }
  const fact = {
    key: 'embedding',
    tuples: [tuple],
    field: 'about',
    value: tuple.about,
    domain: [],
    labels: {},
    range: undefined,
    harder: 0,
  };
  const verdict = judgeFact({ model, profile, difficulty, seed, replica: '', rows: 1 }, fact, all.length);
  return [answerLabel(fact, all, verdict) ?? tuple.about];
}

function wordVector(text: string, dimensions: number): Float32Array {
  const vector = new Float32Array(dimensions);
  for (const word of normalise(text).match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    for (let mark = 0; mark < marks; mark++) {
      const hash = hashOf(word, mark);
      const at = hash % dimensions;
      vector[at] = (vector[at] ?? 0) + (hash & 0x40000000 ? 1 : -1);
    }
  }
  return vector;
}

function direction(seed: number, model: string, name: string, dimensions: number): Float32Array {
  const random = drawsOf('direction', seed, model, name);
  return Float32Array.from({ length: dimensions }, () => random.normal());
}

function sumOf(vectors: readonly Float32Array[], dimensions: number): Float32Array {
  return Float32Array.from({ length: dimensions }, (_, at) =>
    vectors.reduce((sum, vector) => sum + (vector[at] ?? 0), 0),
  );
}

function unit(vector: Float32Array): Float32Array {
  const length = Math.hypot(...vector);
  return length === 0 ? vector.map((_, at) => (at === 0 ? 1 : 0)) : vector.map((x) => x / length);
}
