/** What travels when plans are drafted by a planner model. Prompts and drafts are objects of the store. */
import type { PlanJson } from '../algebra/json.js';
import type { PlanIssue } from '../algebra/verify/issue.js';
import type { Instance } from '../logical/instance.js';
import type { RunBudget, RunResult } from './run.js';
import type { SpendLimits } from './spend.js';

/** Stored as an object; the workflow carries its hash. */
export interface DraftRequest {
  readonly v: 1;
  readonly instance: Instance;
  /** Name of the planner model. */
  readonly model: string;
  /** CADENZA's B_log, at least 1. */
  readonly attempts: number;
  /** False: answers of other runs are not read. */
  readonly cache: boolean;
}

export interface DraftInput {
  readonly v: 1;
  readonly runId: string;
  /** Hash of the `DraftRequest` object. */
  readonly request: string;
  readonly budget: RunBudget;
}

export interface OpenDraftingInput {
  readonly request: string;
}

export interface OpenedDrafting {
  /** Task queue whose workers serve the planner model. */
  readonly queue: string;
}

export interface DraftStepInput {
  readonly runId: string;
  readonly request: string;
  readonly limits: SpendLimits;
  /** A call that fails for a passing reason is not made again. */
  readonly last: boolean;
  /** Nothing more is to be asked, for this reason: the drafts so far are what there is. */
  readonly stop?: string;
}

export type DraftStep =
  /** One more answer is in the ledger. */
  | { readonly state: 'asked' }
  | { readonly state: 'transient'; readonly retryAfterMs?: number }
  /** Hash of a `Drafts` object. */
  | { readonly state: 'done'; readonly drafts: string };

/** One prompt of the planner and the answer to it. */
export interface Exchange {
  /** From 1. */
  readonly attempt: number;
  /** 0 for the first draft, then repairs. */
  readonly round: number;
  readonly prompt: string;
  readonly answer: string;
}

export type DraftedAttempt =
  | { readonly outcome: 'clean'; readonly rounds: number; readonly plan: PlanJson }
  | { readonly outcome: 'repeated'; readonly rounds: number }
  | { readonly outcome: 'given-up'; readonly rounds: number; readonly issues: readonly PlanIssue[] };

export interface Drafts {
  readonly v: 1;
  readonly model: string;
  /** Name and version of the model, as the ledger keys it. */
  readonly identity: string;
  readonly attempts: readonly DraftedAttempt[];
  readonly exchanges: readonly Exchange[];
  /** Why not all attempts were made; absent when they were. */
  readonly stopped?: string;
  readonly spend: RunResult['spend'];
}
