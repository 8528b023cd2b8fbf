import type { Answer } from '../ports.js';
import type { StopReason } from '../../plans/protocol/run.js';

/** What became of one input of a partition. */
export type Outcome =
  | { readonly state: 'ok'; readonly answer: Answer; readonly cached: boolean }
  | { readonly state: 'error'; readonly code: string; readonly message: string }
  | { readonly state: 'transient'; readonly code: string; readonly message: string; readonly retryAfterMs?: number }
  | { readonly state: 'undecided'; readonly limit?: StopReason };
