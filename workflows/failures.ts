import { ActivityFailure, ApplicationFailure, ChildWorkflowFailure } from '@temporalio/workflow';

/** The failure that an activity meant, out of the wrappers that Temporal puts around it; ends the workflow with its code. */
export function asRunFailure(error: unknown): ApplicationFailure {
  let inner: unknown = error;
  while (inner instanceof ActivityFailure || inner instanceof ChildWorkflowFailure) inner = inner.cause;
  if (inner instanceof ApplicationFailure) {
    return ApplicationFailure.create({
      message: inner.message,
      ...(inner.type ? { type: inner.type } : {}),
      ...(inner.details ? { details: inner.details } : {}),
      nonRetryable: true,
    });
  }
  const message = inner instanceof Error ? inner.message : String(inner);
  return ApplicationFailure.create({ message, type: 'RunFailed', nonRetryable: true });
}
