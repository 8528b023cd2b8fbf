import { planHash } from '../../algebra/canonical.js';
import type { Operator } from '../../algebra/operator.js';
import type { PlanIssue } from '../../algebra/verify/issue.js';
import { verifyOperator, verifyPlan } from '../../algebra/verify/verify-plan.js';
import type { Catalog } from '../../tasks/task.js';
import { contextOf, type Origin } from '../candidates.js';
import type { Instance } from '../instance.js';
import { ground } from './ground.js';
import { draftPrompt, repairPrompt } from './prompt.js';
import { readReply } from './reply.js';

/** Asks the planner model. What it throws ends the drafting: the caller knows whether to go on with seeds alone. */
export type AskPlanner = (
  prompt: string,
  place: { readonly attempt: number; readonly round: number },
) => Promise<string>;

export interface DraftOptions {
  /** CADENZA's B_log: attempts, each of which yields one plan at most. */
  readonly attempts?: number;
  /** CADENZA's b_ref: repairs of one draft that ask the model. */
  readonly repairs?: number;
}

const defaults = { attempts: 3, repairs: 2 } as const;

/** How an attempt ended. */
export type Attempt =
  | { readonly outcome: 'clean'; readonly plan: Operator; readonly origin: Origin; readonly rounds: number }
  /** A plan that an earlier attempt has given already. */
  | { readonly outcome: 'repeated'; readonly rounds: number }
  /** No round of it was clean; what was wrong in the last. */
  | { readonly outcome: 'given-up'; readonly issues: readonly PlanIssue[]; readonly rounds: number };

/**
 * Seed plans drafted by a model (CADENZA §4.2): draft, list all faults, have them repaired, ground what is in no catalog.
 * Deterministic but for the answers of `ask`, which is called `attempts` × (1 + `repairs`) times at most.
 */
export async function draftPlans(
  instance: Instance,
  catalog: Catalog,
  ask: AskPlanner,
  options: DraftOptions = {},
): Promise<readonly Attempt[]> {
  const { attempts = defaults.attempts, repairs = defaults.repairs } = options;
  const found: Attempt[] = [];
  const earlier = new Map<string, Operator>();
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    const first = draftPrompt(instance, catalog, [...earlier.values()]);
    const { read, rounds } = await draftOnce(
      first,
      (prompt, round) => ask(prompt, { attempt, round }),
      instance,
      catalog,
      repairs,
    );
    if (!read.ok) {
      found.push({ outcome: 'given-up', issues: read.issues, rounds });
      continue;
    }
    const hash = planHash(read.plan);
    const known = earlier.has(hash);
    earlier.set(hash, read.plan);
    const origin = { seed: `draft ${attempt}`, why: 'drafted by the planner model' };
    found.push(known ? { outcome: 'repeated', rounds } : { outcome: 'clean', plan: read.plan, origin, rounds });
  }
  return found;
}

type Read =
  | { readonly ok: true; readonly plan: Operator }
  | { readonly ok: false; readonly issues: readonly PlanIssue[] };

async function draftOnce(
  first: string,
  ask: (prompt: string, round: number) => Promise<string>,
  instance: Instance,
  catalog: Catalog,
  repairs: number,
): Promise<{ readonly read: Read; readonly rounds: number }> {
  let answer = await ask(first, 0);
  let read = readDraft(answer, instance, catalog);
  let rounds = 1;
  while (!read.ok && rounds <= repairs) {
    answer = await ask(repairPrompt(first, answer, read.issues), rounds);
    read = readDraft(answer, instance, catalog);
    rounds += 1;
  }
  return { read, rounds };
}

/** The plan of an answer, grounded and clean; or all that is wrong with it. */
export function readDraft(answer: string, instance: Instance, catalog: Catalog): Read {
  const reply = readReply(answer);
  if (!reply.ok) {
    return {
      ok: false,
      issues: [
        {
          fault: 'malformed',
          at: '',
          message: reply.reason,
          hint: 'Answer with one whole JSON object and nothing else.',
        },
      ],
    };
  }
  const context = contextOf(instance, catalog);
  const verdict = verifyPlan(reply.json, { ...context, placeholders: true });
  return verdict.ok ? verifyOperator(ground(verdict.plan, catalog), context) : verdict;
}
