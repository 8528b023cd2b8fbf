import {
  ApplicationFailure,
  isGrpcServiceError,
  WorkflowFailedError,
  WorkflowNotFoundError,
  WorkflowUpdateFailedError,
} from '@temporalio/client';
import { type ErrorCode, errorTable, FermataError, type SerializedError } from '../plans/protocol/errors.js';

/** gRPC codes of a server that answers no: not found (the namespace), permission denied, not authenticated. */
const refusals: ReadonlySet<number> = new Set([5, 7, 16]);

/** The `FermataError` that a failed call to the server means. */
export function asFermataError(error: unknown, runId: string): Error {
  if (FermataError.is(error)) return error;
  if (error instanceof WorkflowNotFoundError) {
    return new FermataError('RunNotFound', `there is no run ${runId}`, { hint: 'fermata runs lists them' });
  }
  if (error instanceof WorkflowFailedError || error instanceof WorkflowUpdateFailedError) {
    return fromCause(error.cause, error.message);
  }
  if (isGrpcServiceError(error) && refusals.has(error.code)) {
    return new FermataError('ServerRefused', `the Temporal server refuses: ${error.details}`, {
      hint: 'check TEMPORAL_NAMESPACE, TEMPORAL_API_KEY, and what the key may do in the namespace',
    });
  }
  if (isGrpcServiceError(error)) {
    return new FermataError('ServerUnreachable', `the Temporal server did not answer: ${error.details}`, {
      hint: 'fermata status tells what runs; the run goes on when the server is back',
      cause: error,
    });
  }
  return error instanceof Error ? error : new Error(String(error));
}

function fromCause(cause: unknown, message: string): FermataError {
  if (!(cause instanceof ApplicationFailure)) {
    const name = cause instanceof Error ? cause.name : '';
    if (name === 'TerminatedFailure' || name === 'CancelledFailure') {
      return new FermataError('RunCancelled', 'the run was ended in Temporal', { cause });
    }
    return new FermataError('RunFailed', cause instanceof Error ? cause.message : message, { cause });
  }
  const detail = cause.details?.[0];
  if (isSerialized(detail)) return FermataError.fromJSON(detail);
  return new FermataError(isCode(cause.type) ? cause.type : 'RunFailed', cause.message, { cause });
}

function isCode(type: unknown): type is ErrorCode {
  return typeof type === 'string' && type in errorTable;
}

function isSerialized(value: unknown): value is SerializedError {
  return (
    typeof value === 'object' &&
    value !== null &&
    'code' in value &&
    'message' in value &&
    'where' in value &&
    isCode(value.code)
  );
}
