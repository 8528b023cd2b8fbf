/** Turns whatever an endpoint does instead of answering into a `CallError`. */
import { CallError, type CallErrorCode } from '../../../../plans/protocol/call-errors.js';
import { parseJson } from '../../../../plans/protocol/json.js';

/** Texts that must never show up in a message. */
export interface Secrets {
  readonly key: string | undefined;
  readonly prompt: readonly string[];
}

/** An error body in the forms that endpoints use. */
interface Complaint {
  readonly message: string;
  readonly code: string;
  readonly param: string | undefined;
}

interface StatusRule {
  readonly status: (status: number) => boolean;
  /** Matched against the endpoint's own code and message. */
  readonly says?: RegExp;
  readonly code: CallErrorCode;
  readonly message: string;
}

const client = (status: number): boolean => status >= 400 && status < 500;

/** First row that fits wins. */
const statusRules: readonly StatusRule[] = [
  {
    status: (s) => s === 429,
    says: /insufficient_quota|billing/i,
    code: 'auth',
    message: 'the account has no quota left',
  },
  { status: (s) => s === 401 || s === 403 || s === 407, code: 'auth', message: 'the endpoint refused the key' },
  { status: (s) => s === 402, code: 'auth', message: 'the endpoint asks for payment' },
  { status: (s) => s === 429, code: 'rateLimited', message: 'the endpoint is at its rate limit' },
  {
    status: (s) => s === 408 || s === 409 || s === 425,
    code: 'serverError',
    message: 'the endpoint asked to try again',
  },
  {
    status: client,
    says: /context_length|context size|context length|context window|maximum context|too many tokens|(prompt|input) is too long/i,
    code: 'contextTooLong',
    message: "the prompt is longer than the model's context",
  },
  { status: (s) => s === 413, code: 'contextTooLong', message: 'the request is larger than the endpoint takes' },
  {
    status: client,
    says: /content_filter|content_policy|content management policy/i,
    code: 'contentFilter',
    message: "the endpoint's content filter refused the prompt",
  },
  {
    status: client,
    says: /model_not_found|model .{0,80}(does not exist|not found|not loaded)|unknown model/i,
    code: 'modelNotFound',
    message: 'the endpoint does not know the model',
  },
  {
    status: (s) => s === 404,
    code: 'modelNotFound',
    message: 'not found: check model and baseUrl (it often ends in /v1)',
  },
  {
    status: client,
    says: /(invalid|unsupported|could not|cannot|failed to|unable to).{0,60}(image|audio)|image_parse/i,
    code: 'badMedia',
    message: 'the endpoint cannot read the image or audio',
  },
  { status: client, code: 'badRequest', message: 'the endpoint refused the request' },
  {
    // RFC 9110, 15.6.2 and 15.6.6: asking again changes nothing
    status: (s) => s === 501 || s === 505,
    code: 'badRequest',
    message: 'the endpoint cannot do what was asked',
  },
  { status: (s) => s >= 500, code: 'serverError', message: 'the endpoint failed' },
  {
    status: (s) => s >= 300,
    code: 'modelNotFound',
    message: 'the endpoint redirects elsewhere: set baseUrl to that place',
  },
];

/** Longest wait that a header may ask for. */
const maxRetryAfterMs = 10 * 60_000;

/** Milliseconds that `retry-after-ms` or `Retry-After` (seconds or an HTTP date) asks for. */
export function retryAfterMs(headers: Headers | undefined, now: number): number | undefined {
  const millis = headers?.get('retry-after-ms');
  const after = headers?.get('retry-after');
  const asked = [
    millis === null || millis === undefined || millis === '' ? Number.NaN : Number(millis),
    after === null || after === undefined || after === '' ? Number.NaN : Number(after) * 1000,
    after === null || after === undefined ? Number.NaN : Date.parse(after) - now,
  ].find((ms) => Number.isFinite(ms));
  return asked === undefined ? undefined : Math.min(Math.max(0, Math.ceil(asked)), maxRetryAfterMs);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : '';
}

/** A reply with a status that says failure. */
export class HttpFailure extends Error {
  readonly status: number;
  readonly headers: Headers;
  /** Parsed where it is JSON. */
  readonly body: unknown;

  constructor(status: number, headers: Headers, text: string) {
    super(`status ${status}`);
    this.status = status;
    this.headers = headers;
    const parsed = parseJson(text);
    // A page or plain text is no use to a person who reads an error; a short line is.
    this.body = parsed.ok ? parsed.value : /^\s*</.test(text) ? '' : text;
  }
}

/** The failed reply behind what the client threw. */
export function httpFailure(error: unknown): HttpFailure | undefined {
  for (let at = error; at instanceof Error; at = at.cause) if (at instanceof HttpFailure) return at;
  return undefined;
}

/** Reads `{error: {message, code, type, param}}`, the same without `error`, `{detail}` and plain strings. */
export function complaintOf(body: unknown): Complaint {
  if (body === null || typeof body !== 'object') return { message: text(body), code: '', param: undefined };
  const fields = body as Readonly<Record<string, unknown>>;
  if (fields['error'] !== undefined && fields['error'] !== null) return complaintOf(fields['error']);
  const detail = fields['detail'];
  const message = text(fields['message']) || (typeof detail === 'object' ? JSON.stringify(detail) : text(detail));
  const param = text(fields['param']);
  return {
    message,
    code: [text(fields['code']), text(fields['type'])].filter((part) => part !== '').join(' '),
    param: param === '' ? undefined : param,
  };
}

/** The endpoint's words, unless they repeat the key or any dozen characters of the prompt. */
export function safeWords(message: string, { key, prompt }: Secrets): string {
  const words = message.replace(/\s+/g, ' ').slice(0, 300);
  const hidden = (key === undefined ? words : words.replaceAll(key, '***')).replace(
    /\b(sk|key|Bearer)[-_ ][^\s,.;]+/g,
    '***',
  );
  const window = 12;
  for (const secret of prompt) {
    const flat = secret.replace(/\s+/g, ' ').trim();
    if (flat === '') continue;
    if (flat.length < window && hidden.includes(flat)) return '';
    for (let at = 0; at + window <= hidden.length; at++) {
      if (flat.includes(hidden.slice(at, at + window))) return '';
    }
  }
  return hidden;
}

/** The error for a status code and what came with it. */
export function statusError(status: number, body: unknown, headers: Headers | undefined, secrets: Secrets): CallError {
  const complaint = complaintOf(body);
  const said = `${complaint.code} ${complaint.message}`;
  const rule = statusRules.find((row) => row.status(status) && (row.says === undefined || row.says.test(said)));
  const words = safeWords(complaint.message, secrets);
  const id = headers?.get('x-request-id');
  const message = `${rule?.message ?? 'the endpoint answered strangely'} (HTTP ${status}${id ? `, request ${id}` : ''})${words === '' ? '' : `: ${words}`}`;
  const wait = retryAfterMs(headers, Date.now());
  return new CallError(rule?.code ?? 'serverError', message, wait === undefined ? {} : { retryAfterMs: wait });
}

/** Faults of a connection that was never made, rather than cut: no listener, no such host, no TLS or no HTTP. */
const nobodyThere =
  /^(ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|EPROTO|ERR_(TLS|SSL)_|HPE_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** The error for anything that the client threw before a reply was there. */
export function thrownError(error: unknown, secrets: Secrets): CallError {
  const failure = httpFailure(error);
  if (failure !== undefined) return statusError(failure.status, failure.body, failure.headers, secrets);
  const fault = connectionFault(error);
  return new CallError('connection', `no connection to the endpoint: ${fault}`, { absent: nobodyThere.test(fault) });
}

/** Node's code for a network fault, e.g. `ECONNRESET`, from however deep it is. */
function connectionFault(error: unknown): string {
  for (let at = error; at instanceof Error; at = at.cause) {
    const code = (at as NodeJS.ErrnoException).code;
    if (typeof code === 'string') return code;
    if (at instanceof AggregateError) return connectionFault(at.errors[0]);
  }
  return 'the connection was cut';
}
