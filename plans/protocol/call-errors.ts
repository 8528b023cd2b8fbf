/**
 * Why one model call gave no answer. `transient` ones are tried again by the workflow's policy; `row` ones fail that row
 * alone; `fatal` ones end the run, since every other call would meet them too.
 */
export const callErrorTable = {
  rateLimited: { fate: 'transient' },
  serverError: { fate: 'transient' },
  timeout: { fate: 'transient' },
  connection: { fate: 'transient' },
  emptyReply: { fate: 'transient' },
  notJson: { fate: 'transient' },
  badOutput: { fate: 'row' },
  truncated: { fate: 'row' },
  contentFilter: { fate: 'row' },
  contextTooLong: { fate: 'row' },
  badRequest: { fate: 'row' },
  badMedia: { fate: 'row' },
  auth: { fate: 'fatal' },
  modelNotFound: { fate: 'fatal' },
  weightsMissing: { fate: 'fatal' },
  /** A runtime library or device that the model's settings ask for is not on this machine. */
  backendMissing: { fate: 'fatal' },
} as const satisfies Record<string, { readonly fate: 'transient' | 'row' | 'fatal' }>;

export type CallErrorCode = keyof typeof callErrorTable;
export type CallFate = (typeof callErrorTable)[CallErrorCode]['fate'];

/** Thrown by backends for one call; never leaves the activity that made the call. */
export class CallError extends Error {
  readonly code: CallErrorCode;
  /** How long the endpoint asked to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;
  /** Tokens that the failed call was billed for, when known. */
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number } | undefined;
  /** No model is at the address: nobody listens, the name is not known, TLS fails, or a web page comes back. */
  readonly absent: boolean;

  constructor(
    code: CallErrorCode,
    message: string,
    options: {
      retryAfterMs?: number;
      usage?: { inputTokens: number; outputTokens: number };
      absent?: boolean;
      cause?: unknown;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CallError';
    this.code = code;
    this.retryAfterMs = options.retryAfterMs;
    this.usage = options.usage;
    this.absent = options.absent ?? false;
  }

  get fate(): CallFate {
    return callErrorTable[this.code].fate;
  }
}
