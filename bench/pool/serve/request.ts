/** A chat request as the pool reads it. */
import { createHash } from 'node:crypto';

export interface Schema {
  readonly type?: string | readonly string[];
  readonly enum?: readonly (string | number | boolean | null)[];
  readonly const?: string | number | boolean | null;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly pattern?: string;
  readonly format?: string;
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** A piece of what the user said, in order. */
export type Piece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image' | 'audio'; readonly sha256: string; readonly bytes: number; readonly seconds: number };

export interface ChatRequest {
  readonly model: string;
  readonly system: string;
  /** Pieces of the user's messages; where these hold no text and no media, of all messages. */
  readonly pieces: readonly Piece[];
  readonly schema: Schema | undefined;
  /** A reply in JSON is asked for, by a schema or by `json_object`. */
  readonly json: boolean;
  readonly temperature: number;
  readonly seed: number | undefined;
  readonly maxTokens: number;
  /** Alternatives to report a token; undefined: no log-probabilities. */
  readonly topLogprobs: number | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What is wrong with a request: the status and the error's fields. */
export class Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly param: string | undefined;

  constructor(status: number, code: string, message: string, param?: string) {
    super(message);
    this.status = status;
    this.code = code;
    this.param = param;
  }
}

interface Part {
  readonly type?: string;
  readonly text?: string;
  readonly image_url?: { readonly url?: string } | string;
  readonly input_audio?: { readonly data?: string; readonly format?: string };
}

interface Message {
  readonly role?: string;
  readonly content?: string | readonly Part[] | null;
}

/** @throws `Refusal` 400 for a body that is no chat request. */
export function readChat(body: Readonly<Record<string, unknown>>): ChatRequest {
  const model = body['model'];
  const messages = body['messages'];
  if (typeof model !== 'string') throw new Refusal(400, 'invalid_request_error', 'model must be a string', 'model');
  if (!Array.isArray(messages) || messages.length === 0) {
    throw new Refusal(400, 'invalid_request_error', 'messages must be a list with a message', 'messages');
  }
  if (body['stream'] === true) {
    throw new Refusal(400, 'unsupported_parameter', 'The simulated pool does not stream.', 'stream');
  }
  const said = messages as readonly Message[];
  const user = said.filter(({ role }) => role === 'user').flatMap(({ content }) => piecesOf(content));
  const format = body['response_format'] as { type?: string; json_schema?: { schema?: Schema } } | undefined;
  return {
    model,
    system: said
      .filter(({ role }) => role === 'system' || role === 'developer')
      .flatMap(({ content }) => piecesOf(content))
      .map((piece) => (piece.kind === 'text' ? piece.text : ''))
      .join('\n'),
    pieces: user.length > 0 ? user : said.flatMap(({ content }) => piecesOf(content)),
    schema: format?.type === 'json_schema' ? format.json_schema?.schema : undefined,
    json: format?.type === 'json_schema' || format?.type === 'json_object',
    temperature: numberOr(body['temperature'], 0),
    seed: typeof body['seed'] === 'number' ? body['seed'] : undefined,
    maxTokens: numberOr(body['max_completion_tokens'] ?? body['max_tokens'], Number.POSITIVE_INFINITY),
    topLogprobs: body['logprobs'] === true ? numberOr(body['top_logprobs'], 0) : undefined,
    body,
  };
}

const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);

function piecesOf(content: Message['content']): readonly Piece[] {
  if (content === undefined || content === null) return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return content.map(pieceOf);
}

function pieceOf(part: Part): Piece {
  if (part.type === 'image_url') {
    const url = typeof part.image_url === 'string' ? part.image_url : (part.image_url?.url ?? '');
    const data = /^data:[^,]*;base64,(.*)$/s.exec(url)?.[1];
    // A picture by its address is known by the address, like any text.
    return data === undefined ? { kind: 'text', text: `\n${url}\n` } : media('image', Buffer.from(data, 'base64'));
  }
  if (part.type === 'input_audio') return media('audio', Buffer.from(part.input_audio?.data ?? '', 'base64'));
  if (typeof part.text === 'string') return { kind: 'text', text: part.text };
  throw new Refusal(400, 'invalid_request_error', `content part ${String(part.type)} is not supported`, 'messages');
}

/** 16 kHz, 16 bit, one channel: what the length of a clip without a header is reckoned by. */
const plainByteRate = 32_000;
const waveHeader = 44;

export function media(kind: 'image' | 'audio', bytes: Buffer): Extract<Piece, { readonly sha256: string }> {
  const wave = bytes.length > waveHeader && bytes.toString('latin1', 0, 4) === 'RIFF' ? bytes.readUInt32LE(28) : 0;
  return {
    kind,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    bytes: bytes.length,
    seconds: kind === 'audio' ? (wave > 0 ? (bytes.length - waveHeader) / wave : bytes.length / plainByteRate) : 0,
  };
}
