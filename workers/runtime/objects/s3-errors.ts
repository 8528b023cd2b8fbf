import { type ErrorCode, FermataError } from '../../../plans/protocol/errors.js';

/** What may be said of a store in a message: never a key, a signature or a URL with its query. */
export interface StorePlace {
  readonly host: string;
  readonly bucket: string;
}

interface Verdict {
  readonly code: ErrorCode;
  readonly says: string;
  readonly hint: string;
}

const credentials: Verdict = {
  code: 'BadConfig',
  says: 'refuses the credentials',
  hint: 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN (or AWS_PROFILE), and what they may do.',
};

const noCredentials: Verdict = { ...credentials, says: 'cannot be asked: there are no AWS credentials' };

const noRoom: Verdict = {
  code: 'StoreUnreachable',
  says: 'cannot be copied to this machine',
  hint: 'Check that the cache folder belongs to you and its disk has room.',
};

/** By the name that S3 servers give the error, or the code that the system gives it. */
const byName: Readonly<Record<string, Verdict>> = {
  AccessDenied: credentials,
  InvalidAccessKeyId: credentials,
  SignatureDoesNotMatch: credentials,
  ExpiredToken: credentials,
  InvalidToken: credentials,
  // What versitygw says of an access key that it does not know, with a 404.
  XAdminUserNotFound: credentials,
  CredentialsProviderError: noCredentials,
  NoSuchBucket: {
    code: 'BadConfig',
    says: 'has no such bucket',
    hint: 'Create the bucket, or correct its name in FERMATA_STORE.',
  },
  PermanentRedirect: {
    code: 'BadConfig',
    says: 'keeps this bucket in another region',
    hint: 'Name the region in FERMATA_STORE: s3://bucket/prefix?region=…',
  },
  ENOSPC: noRoom,
  EDQUOT: noRoom,
  EACCES: noRoom,
  EROFS: noRoom,
  RequestTimeTooSkewed: { code: 'BadConfig', says: 'has another time than this machine', hint: 'Set the clock.' },
};

const unreachable: Verdict = {
  code: 'StoreUnreachable',
  says: 'cannot be reached',
  hint: 'Check that the server is up and the endpoint in FERMATA_STORE is right, then run again: nothing is lost.',
};

const failing: Verdict = {
  code: 'StoreUnreachable',
  says: 'answers with errors of its own',
  hint: 'Run again later: nothing is lost.',
};

const other: Verdict = { code: 'Internal', says: 'refuses the request', hint: 'This looks like an error in Fermata.' };

/** What S3 or the network said, as an error for users. The original is dropped: it carries signed headers. */
export function storeError(error: unknown, place: StorePlace): FermataError {
  if (FermataError.is(error)) return error;
  const verdict = judge(error);
  const status = statusOf(error);
  const detail = [nameOf(error), ...(status === undefined ? [] : [`HTTP ${status}`])].join(', ');
  return new FermataError(
    verdict.code,
    `The store ${place.host}, bucket ${place.bucket}, ${verdict.says} (${detail}).`,
    {
      hint: verdict.hint,
    },
  );
}

/** Whether S3 said that there is no such object. */
export function isNotFound(error: unknown): boolean {
  const name = nameOf(error);
  return name === 'NotFound' || name === 'NoSuchKey';
}

/** Whether the client found that the bytes are not those of the checksum that the server keeps with them. */
export function isChecksumMismatch(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Checksum mismatch');
}

export function damaged(key: string, place: StorePlace): FermataError {
  return new FermataError('BadData', `${key} in bucket ${place.bucket} of ${place.host} is damaged.`, {
    hint: 'Remove it and run again: it is then stored anew.',
  });
}

function judge(error: unknown): Verdict {
  const named = byName[nameOf(error)];
  if (named !== undefined) return named;
  const status = statusOf(error);
  if (status === undefined) return unreachable;
  if (status === 401 || status === 403) return credentials;
  return status >= 500 || status === 429 || status === 408 ? failing : other;
}

function statusOf(error: unknown): number | undefined {
  const metadata = (error as { readonly $metadata?: { readonly httpStatusCode?: number } } | undefined)?.$metadata;
  return metadata?.httpStatusCode;
}

/** The error's name, or for a failed connection its system code, e.g. `ECONNREFUSED`. */
function nameOf(error: unknown): string {
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  const text = typeof code === 'string' && /^E[A-Z]+$/.test(code) ? code : (name ?? 'Error');
  return /^[A-Za-z0-9.]{1,60}$/.test(text) ? text : 'Error';
}
