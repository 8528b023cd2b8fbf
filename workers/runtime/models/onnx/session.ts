/** A sentence encoder in ONNX: tokens in, unit vectors out by mean pooling over the tokens. */
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CallError } from '../../../../plans/protocol/call-errors.js';
import { parseJson } from '../../../../plans/protocol/json.js';
import { createSession, loadRuntime, type Provider } from './runtime.js';

export interface SessionOptions {
  /** Tried in order: the first that works here runs the model. */
  readonly executionProviders: readonly Provider[];
  /** Longer texts are cut to this many tokens. */
  readonly maxTokens: number;
}

export interface EmbeddingSession {
  /** Token ids, cut to the limit; the closing special token is kept. */
  tokenize(text: string): readonly number[];
  /** One unit vector an input. */
  run(inputs: readonly (readonly number[])[]): Promise<readonly Float32Array[]>;
  close(): Promise<void>;
}

/** No token of a text encoder spans more; spares the tokenizer a megabyte of which the start alone counts. */
const unitsPerToken = 64;

// The types that the package ships do not resolve under `nodenext`; this is what is used of them.
interface TextTokenizer {
  encode(text: string): { readonly ids: readonly number[] };
}

async function loadTokenizer(path: string): Promise<TextTokenizer> {
  const { Tokenizer } = (await import('@huggingface/tokenizers')) as unknown as {
    Tokenizer: new (tokenizer: unknown, config: object) => TextTokenizer;
  };
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw new CallError('weightsMissing', `no tokenizer beside the model: ${(error as Error).message}`);
  });
  const parsed = parseJson(text);
  if (!parsed.ok) throw new CallError('weightsMissing', `${path} is not JSON: ${parsed.error}`);
  return new Tokenizer(parsed.value, {});
}

/** Loads `model.onnx` with the `tokenizer.json` beside it. Throws `CallError` `backendMissing` or `weightsMissing`. */
export async function loadSession(path: string, options: SessionOptions): Promise<EmbeddingSession> {
  const [runtime, tokenizer] = await Promise.all([loadRuntime(), loadTokenizer(join(dirname(path), 'tokenizer.json'))]);
  const session = await createSession(runtime, path, options.executionProviders);
  const [outputName = ''] = session.outputNames;

  return {
    tokenize(text) {
      const { ids } = tokenizer.encode(text.slice(0, options.maxTokens * unitsPerToken));
      if (ids.length <= options.maxTokens) return ids;
      return [...ids.slice(0, options.maxTokens - 1), ...ids.slice(-1)];
    },
    async run(inputs) {
      const width = Math.max(1, ...inputs.map((ids) => ids.length));
      const shape = [inputs.length, width];
      const ids = new BigInt64Array(inputs.length * width);
      const mask = new BigInt64Array(inputs.length * width);
      for (const [row, tokens] of inputs.entries()) {
        for (const [column, token] of tokens.entries()) {
          ids[row * width + column] = BigInt(token);
          mask[row * width + column] = 1n;
        }
      }
      const all: Readonly<Record<string, BigInt64Array>> = {
        input_ids: ids,
        attention_mask: mask,
        token_type_ids: new BigInt64Array(inputs.length * width),
      };
      const feeds = Object.fromEntries(
        session.inputNames.flatMap((name) => {
          const values = all[name];
          return values === undefined ? [] : [[name, new runtime.Tensor('int64', values, shape)] as const];
        }),
      );
      const output = (await session.run(feeds))[outputName];
      if (output === undefined || !(output.data instanceof Float32Array)) throw new Error('the model gave no vectors');
      const hidden = output.dims.at(-1) ?? 0;
      return inputs.map((tokens, row) =>
        meanPool(output.data as Float32Array, row * width * hidden, tokens.length, hidden),
      );
    },
    close: () => session.release(),
  };
}

/** Mean over the tokens of a row, scaled to length 1. */
function meanPool(states: Float32Array, start: number, tokens: number, hidden: number): Float32Array {
  const vector = new Float32Array(hidden);
  for (let token = 0; token < tokens; token++) {
    for (let at = 0; at < hidden; at++) vector[at] = (vector[at] ?? 0) + (states[start + token * hidden + at] ?? 0);
  }
  let squares = 0;
  for (const x of vector) squares += x * x;
  const length = Math.sqrt(squares);
  return length > 0 ? vector.map((x) => x / length) : vector;
}
