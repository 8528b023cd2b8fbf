import { encodePlan } from '../../plans/algebra/json.js';
import { type AskPlanner, type Attempt, draftPlans } from '../../plans/logical/drafting/draft.js';
import type { DraftedAttempt, DraftRequest, Drafts, DraftStep, DraftStepInput } from '../../plans/protocol/drafting.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { defaultCatalog } from '../../plans/tasks/catalog.js';
import type { Outcome } from '../inference/outcome.js';
import { beating } from '../heartbeat.js';
import type { ActivityScope, Answer, CallGate, Clock, Ledger, Model, Models, ObjectStore } from '../ports.js';
import { loadJson } from '../run-plans.js';
import { askPlanner, plannerKey, plannerRequest } from './ask-planner.js';

export interface DraftStepPorts {
  readonly store: ObjectStore;
  readonly ledger: Ledger;
  readonly models: Models;
  readonly gate: CallGate;
  readonly clock: Clock;
  scope(): ActivityScope;
}

/** Under which the planner's calls are counted. */
const operator = 'planner';

/** Ends a drafting that has no answer to go on with. */
class Unanswered extends Error {
  readonly attempt: number;
  /** Undefined: an answer has come in this step, and the next is for another step. */
  readonly outcome: Exclude<Outcome, { state: 'ok' }> | undefined;

  constructor(attempt: number, outcome?: Exclude<Outcome, { state: 'ok' }>) {
    super('no answer');
    this.attempt = attempt;
    this.outcome = outcome;
  }
}

/**
 * One more answer of the planner. Drafting is deterministic but for answers, and answers are in the ledger: each step drafts
 * from the start with those that are there, and buys the one that lacks. So no step is long, and a step that is run again
 * pays nothing twice.
 */
export function createDraftStep(ports: DraftStepPorts) {
  return (input: DraftStepInput): Promise<DraftStep> => beating(ports.scope(), () => step(ports, input));
}

async function step(ports: DraftStepPorts, input: DraftStepInput): Promise<DraftStep> {
  const request = await loadJson<DraftRequest>(ports.store, input.request);
  const model = await ports.models.get(request.model);
  const drafting = { ports, input, request, model };
  try {
    if (input.stop !== undefined) return await finished(drafting, input.stop);
    await ports.ledger.open({ runId: input.runId, holder: operator });
    let bought = false;
    const attempts = await replayed(drafting, request.attempts, async (key, asked, attempt) => {
      if (bought) throw new Unanswered(attempt);
      bought = true;
      const outcome = await askPlanner(asked, key, callContext(drafting));
      if (outcome.state !== 'ok') throw new Unanswered(attempt, outcome);
      return textOf(outcome.answer);
    });
    return await stored(drafting, attempts, undefined);
  } catch (error) {
    if (!(error instanceof Unanswered)) throw error;
    const { outcome } = error;
    if (outcome === undefined) return { state: 'asked' };
    return ended(drafting, outcome);
  }
}

interface Drafting {
  readonly ports: DraftStepPorts;
  readonly input: DraftStepInput;
  readonly request: DraftRequest;
  readonly model: Model;
}

function callContext({ ports, input, model }: Drafting) {
  const { language } = model;
  if (language === undefined) throw new FermataError('ModalityUnsupported', `model ${model.name} writes no text`);
  return {
    ...ports,
    model: { ...model, language },
    call: { id: operator },
    reservation: { runId: input.runId, holder: operator },
    limits: input.limits,
    stop: ports.scope().stop,
    again: false,
  };
}

async function ended(drafting: Drafting, outcome: Exclude<Outcome, { state: 'ok' }>): Promise<DraftStep> {
  const { ports, input, model } = drafting;
  if (outcome.state === 'undecided') {
    // told to stop, as when the worker shuts down: the step is done again
    return outcome.limit === undefined ? { state: 'transient' } : finished(drafting, outcome.limit);
  }
  if (outcome.state === 'error') return finished(drafting, `${outcome.code}: ${outcome.message}`);
  if (!input.last) {
    const { retryAt } = outcome;
    return {
      state: 'transient',
      ...(retryAt === undefined ? {} : { retryAfterMs: Math.max(0, retryAt - ports.clock.now()) }),
    };
  }
  if (outcome.absent !== true) return finished(drafting, `${outcome.code}: ${outcome.message}`);
  const at = model.endpoint === undefined ? '' : ` at ${model.endpoint}`;
  throw new FermataError('EndpointUnreachable', `model ${model.name} was not reached${at}: ${outcome.message}`, {
    hint: 'start the endpoint, or correct its address; without --planner plans are made without a model',
  });
}

interface Replayed {
  readonly attempts: readonly Attempt[];
  readonly exchanges: Drafts['exchanges'];
}

type Buy = (key: string, request: ReturnType<typeof plannerRequest>, attempt: number) => Promise<string>;

/** Drafts with the answers of the ledger; one that lacks is bought. */
async function replayed({ ports, input, request, model }: Drafting, attempts: number, buy: Buy): Promise<Replayed> {
  const exchanges: Drafts['exchanges'][number][] = [];
  const salt = request.cache ? undefined : input.runId;
  const ask: AskPlanner = async (prompt, { attempt, round }) => {
    const asked = plannerRequest(prompt, attempt, model.contextTokens);
    const key = plannerKey(model.identity, asked, salt);
    const [known] = await ports.ledger.lookup([key]);
    const answer = known === undefined ? await buy(key, asked, attempt) : textOf(known);
    exchanges.push({ attempt, round, prompt, answer });
    return answer;
  };
  return { attempts: await draftPlans(request.instance, defaultCatalog, ask, { attempts }), exchanges };
}

/** The ledger holds answers of any kind; those of a planner are its own words. */
function textOf({ value }: Answer): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The attempts that came to their end before the drafting did. */
async function finished(drafting: Drafting, why: string): Promise<DraftStep> {
  const lacking: Buy = (_key, _request, attempt) => Promise.reject(new Unanswered(attempt));
  let attempts = drafting.request.attempts;
  for (;;) {
    try {
      return await stored(drafting, await replayed(drafting, attempts, lacking), why);
    } catch (error) {
      if (!(error instanceof Unanswered)) throw error;
      attempts = error.attempt - 1;
    }
  }
}

async function stored(
  { ports, input, model }: Drafting,
  { attempts, exchanges }: Replayed,
  stopped: string | undefined,
): Promise<DraftStep> {
  const drafts: Drafts = {
    v: 1,
    model: model.name,
    identity: model.identity,
    attempts: attempts.map(drafted),
    exchanges,
    ...(stopped === undefined ? {} : { stopped }),
    spend: await ports.ledger.spend(input.runId),
  };
  return { state: 'done', drafts: await ports.store.put(new TextEncoder().encode(JSON.stringify(drafts))) };
}

function drafted(attempt: Attempt): DraftedAttempt {
  if (attempt.outcome !== 'clean') return attempt;
  return { outcome: 'clean', rounds: attempt.rounds, plan: encodePlan(attempt.plan) };
}
