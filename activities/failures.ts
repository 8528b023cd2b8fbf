import { ApplicationFailure } from '@temporalio/common';
import { CallError } from '../plans/protocol/call-errors.js';
import { errorTable, type ErrorPlace, FermataError } from '../plans/protocol/errors.js';

/** What crosses Temporal: only `ApplicationFailure`, typed by code, with the serialized error as its detail. */
export function runFailure(error: unknown, where: ErrorPlace = {}): ApplicationFailure {
  if (error instanceof ApplicationFailure) return error;
  if (error instanceof CallError) {
    const known = new FermataError(fatalCodes[error.code] ?? 'RunFailed', error.message, {
      where,
      hint: hints[error.code] ?? '',
    });
    return ApplicationFailure.create({
      message: known.message,
      type: error.code,
      nonRetryable: true,
      details: [known.toJSON()],
    });
  }
  if (FermataError.is(error)) {
    const nonRetryable = !errorTable[error.code].retryable;
    return ApplicationFailure.create({
      message: error.message,
      type: error.code,
      nonRetryable,
      details: [error.toJSON()],
    });
  }
  const message = error instanceof Error ? error.message : String(error);
  return ApplicationFailure.create({ message, type: 'Internal', ...(error instanceof Error ? { cause: error } : {}) });
}

const fatalCodes: Partial<Record<CallError['code'], FermataError['code']>> = {
  auth: 'ModelRefused',
  modelNotFound: 'ModelRefused',
  weightsMissing: 'WeightsMissing',
};

const hints: Partial<Record<CallError['code'], string>> = {
  auth: 'check the API key variable of this model (fermata doctor)',
  modelNotFound: 'check the model id and base URL in fermata.yaml or OPENAI_BASE_URL (fermata doctor)',
  weightsMissing: 'fermata models pull',
};
