/**
 * Errors of Fermata: one class, one table of codes. A new code is one row here; its exit code, whether a retry may help
 * and its default hint come with it.
 */

/** Exit codes of the `fermata` command. */
export const exitCodes = {
  ok: 0,
  failed: 1,
  usage: 2,
  rowErrors: 3,
  budget: 4,
  needsConfirmation: 5,
  unreachable: 6,
  qualityNotMet: 7,
  internal: 70,
  interrupted: 130,
} as const;

export type ExitName = keyof typeof exitCodes;

interface ErrorRow {
  readonly number: number;
  readonly exit: ExitName;
  /** Whether the same request may succeed later without the user changing anything. */
  readonly retryable: boolean;
}

export const errorTable = {
  // SQL and intents
  SqlSyntax: { number: 1001, exit: 'failed', retryable: false },
  UnknownTable: { number: 1002, exit: 'failed', retryable: false },
  UnknownColumn: { number: 1003, exit: 'failed', retryable: false },
  UnknownFunction: { number: 1004, exit: 'failed', retryable: false },
  BadArgument: { number: 1005, exit: 'failed', retryable: false },
  UnsupportedSql: { number: 1006, exit: 'failed', retryable: false },
  PromptWithoutColumn: { number: 1007, exit: 'failed', retryable: false },
  TypeMismatch: { number: 1008, exit: 'failed', retryable: false },
  BadPlan: { number: 1009, exit: 'usage', retryable: false },
  // data
  FileNotFound: { number: 1101, exit: 'failed', retryable: false },
  BadData: { number: 1102, exit: 'failed', retryable: false },
  BadMedia: { number: 1103, exit: 'failed', retryable: false },
  ObjectMissing: { number: 1104, exit: 'failed', retryable: false },
  // configuration and models
  BadConfig: { number: 1201, exit: 'usage', retryable: false },
  Usage: { number: 1202, exit: 'usage', retryable: false },
  UnknownModel: { number: 1203, exit: 'usage', retryable: false },
  NoModel: { number: 1204, exit: 'usage', retryable: false },
  ModalityUnsupported: { number: 1205, exit: 'usage', retryable: false },
  WeightsMissing: { number: 1206, exit: 'failed', retryable: false },
  WeightsCorrupt: { number: 1207, exit: 'failed', retryable: false },
  ModelRefused: { number: 1209, exit: 'failed', retryable: false },
  DownloadFailed: { number: 1208, exit: 'unreachable', retryable: true },
  DiskFull: { number: 1210, exit: 'failed', retryable: false },
  EndpointUnreachable: { number: 1211, exit: 'unreachable', retryable: false },
  SandboxFailed: { number: 1212, exit: 'failed', retryable: true },
  // budgets and runs
  BudgetTooSmall: { number: 1301, exit: 'budget', retryable: false },
  BudgetExhausted: { number: 1302, exit: 'budget', retryable: false },
  NeedsConfirmation: { number: 1303, exit: 'needsConfirmation', retryable: false },
  RunNotFound: { number: 1304, exit: 'failed', retryable: false },
  RunFailed: { number: 1305, exit: 'failed', retryable: false },
  RunCancelled: { number: 1306, exit: 'failed', retryable: false },
  RowErrors: { number: 1307, exit: 'rowErrors', retryable: false },
  // the stack
  ServerUnreachable: { number: 1401, exit: 'unreachable', retryable: true },
  ServerBinaryMissing: { number: 1402, exit: 'unreachable', retryable: false },
  StackFailed: { number: 1403, exit: 'unreachable', retryable: false },
  StoreUnreachable: { number: 1404, exit: 'unreachable', retryable: true },
  ServerRefused: { number: 1405, exit: 'unreachable', retryable: false },
  Internal: { number: 1999, exit: 'internal', retryable: false },
} as const satisfies Record<string, ErrorRow>;

export type ErrorCode = keyof typeof errorTable;

/** Where in the user's input an error is. */
export interface ErrorPlace {
  readonly operator?: string;
  readonly table?: string;
  readonly column?: string;
  readonly row?: number;
  readonly line?: number;
  /** Offset into the SQL text, in UTF-16 units. */
  readonly position?: number;
  readonly file?: string;
}

export interface FermataErrorOptions {
  readonly hint?: string;
  readonly where?: ErrorPlace;
  readonly cause?: unknown;
}

const marker = Symbol.for('fermata.error');

/**
 * The one error class that users meet. Told apart by a marker symbol, so that two copies of the package agree.
 *
 * @example
 * try { await fermata.sql('SELECT …'); } catch (error) { if (FermataError.is(error, 'UnknownColumn')) … }
 */
export class FermataError extends Error {
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly where: ErrorPlace;
  readonly [marker] = true;

  constructor(code: ErrorCode, message: string, options: FermataErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'FermataError';
    this.code = code;
    this.hint = options.hint;
    this.where = options.where ?? {};
  }

  /** The code as printed in messages, e.g. `FRM1003`. */
  get number(): string {
    return `FRM${errorTable[this.code].number}`;
  }

  get retryable(): boolean {
    return errorTable[this.code].retryable;
  }

  get exitCode(): number {
    return exitCodes[errorTable[this.code].exit];
  }

  /** JSON-safe form for `--json`, workflow failures and reports. */
  toJSON(): SerializedError {
    return { code: this.code, message: this.message, ...(this.hint ? { hint: this.hint } : {}), where: this.where };
  }

  static is(error: unknown, code?: ErrorCode): error is FermataError {
    const ours = typeof error === 'object' && error !== null && marker in error;
    return ours && (code === undefined || (error as FermataError).code === code);
  }

  static fromJSON(value: SerializedError): FermataError {
    return new FermataError(value.code, value.message, {
      ...(value.hint === undefined ? {} : { hint: value.hint }),
      where: value.where,
    });
  }
}

export interface SerializedError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint?: string;
  readonly where: ErrorPlace;
}
