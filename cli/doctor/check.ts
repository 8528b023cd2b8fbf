import type { Settings } from '../../workers/config/settings.js';
import type { StackStatus } from '../../workers/embedded/stack.js';
import type { Context } from '../context.js';

export interface Patient {
  readonly context: Context;
  readonly settings: Settings;
  readonly stack: StackStatus;
}

export interface Finding {
  readonly ok: boolean;
  readonly detail: string;
  /** What to do about it. */
  readonly hint?: string;
}

/** One row of `fermata doctor`. An error thrown by `examine` is a failure with the error's own hint. */
export interface Check {
  readonly name: string;
  /** Whether queries fail without it; otherwise it is told as a warning. */
  readonly required: boolean;
  readonly examine: (patient: Patient) => Promise<Finding>;
}
