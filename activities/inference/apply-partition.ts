import type { AppliedPartition, ApplyPartitionInput } from '../../plans/protocol/activities.js';
import { strategyProblem } from '../../plans/physical/strategies.js';
import { verdictOf } from '../../plans/physical/routed/verdict.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { runObjects, type PlannedCall } from '../../plans/protocol/run-plan.js';
import type {
  ActivityScope,
  Answer,
  AnswerRow,
  CallGate,
  Clock,
  Ledger,
  MediaPreparer,
  Models,
  ObjectStore,
  PartitionCodec,
  ProgressPublisher,
} from '../ports.js';
import { beating } from '../heartbeat.js';
import { loadAsked } from '../asked-call.js';
import { loadPlan } from '../run-plans.js';
import { requirePresence } from './absent-endpoint.js';
import { answeringModel } from './answering-model.js';
import { askPrompts, findAnswers } from './ask-prompts.js';
import { earlierFailures } from './earlier-failures.js';
import { embedAll } from './embed-all.js';
import type { Outcome } from './outcome.js';
import { prepareMedia } from './prepare-media.js';
import { type Prompt, renderInput } from './prompts.js';

export interface ApplyPartitionPorts {
  readonly store: ObjectStore;
  readonly ledger: Ledger;
  readonly models: Models;
  readonly gate: CallGate;
  readonly codec: PartitionCodec;
  readonly media: MediaPreparer;
  readonly progress: ProgressPublisher;
  readonly clock: Clock;
  scope(): ActivityScope;
}

/** One pass of one semantic call over one partition of its distinct inputs. Safe to run again: answers are in the ledger. */
export function createApplyPartition(ports: ApplyPartitionPorts) {
  return (input: ApplyPartitionInput): Promise<AppliedPartition> => {
    const scope = ports.scope();
    return beating(scope, () => onePass(input, ports, scope));
  };
}

async function onePass(
  input: ApplyPartitionInput,
  ports: ApplyPartitionPorts,
  scope: ActivityScope,
): Promise<AppliedPartition> {
  const plan = await loadPlan(ports.store, input.plan);
  const planned = await loadAsked(ports.store, plan, input);
  const { model, ...answers } = await answeringModel(ports.models, planned);
  const name = runObjects.inputs(input.runId, input.wave, planned.inputs, input.partition);
  const bytes = await ports.store.getNamed(name);
  if (bytes === undefined)
    throw new FermataError('ObjectMissing', `partition ${name} is not in the store`, { hint: 'start the query again' });
  const salt = plan.cache ? undefined : input.runId;
  const answersName = runObjects.answers(input.runId, input.wave, input.call, input.partition);
  const failures = input.visited === true ? await earlierFailures(ports, answersName) : new Map<number, never>();
  const inputs = ports.codec.decodeInputs(bytes).filter((row) => !failures.has(row.in));
  const prepared = await prepareMedia(inputs, planned.call, model, ports.media);
  const prompts = prepared.map(({ row, problem }): Prompt => {
    const prompt = renderInput(planned.call, row, model, salt, { confidence: planned.confidence });
    return problem === undefined ? prompt : { ...prompt, problem };
  });
  const asked = { call: planned.call, model, schedule: planned.schedule.prompts, salt };
  const found = await findAnswers(ports.ledger, prompts, asked);

  const reservation = { runId: input.runId, holder: `${input.wave}/${input.call}/${input.partition}` };
  await ports.ledger.open(reservation);
  const context = {
    ledger: ports.ledger,
    gate: ports.gate,
    clock: ports.clock,
    call: planned.call,
    reservation,
    limits: input.limits ?? {},
    stop: scope.stop,
    again: input.again,
  };
  const onAnswer = (): void => ports.progress.touch(plan);
  const outcomes =
    answers.vectors === undefined
      ? await askPrompts(prompts, found, { ...context, ...ports, onAnswer, model: { ...model, ...answers } }, asked)
      : await embedAll(prompts, found, { ...context, model, ...answers, store: ports.store, onAnswer });

  if (input.absentIsFatal === true) await requirePresence({ ...context, plan, model, outcomes });
  const made = prompts.map((prompt, at) =>
    answerRow(prompt, advised(outcomes[at] ?? { state: 'undecided' }, planned), input.last),
  );
  const rows = [...failures.values(), ...made].sort((a, b) => a.in - b.in);
  await ports.store.putNamed(answersName, ports.codec.encodeAnswers(rows));
  const passed = summarise(prompts, outcomes, input, ports.clock.now());
  const { policy } = planned;
  const summary = {
    ...passed,
    failed: passed.failed + failures.size,
    ...(policy === undefined ? {} : { unsure: rows.filter((row) => verdictOf(row, policy) === 'safe').length }),
  };
  const elsewhere = foundElsewhere(outcomes, input.runId);
  await ports.ledger.tally(reservation, planned.call.id, {
    answered: summary.answered,
    cached: elsewhere.length,
    savedUsd: elsewhere.reduce((sum, answer) => sum + answer.usd, 0),
    failed: summary.failed,
  });
  ports.progress.touch(plan);
  if (summary.failed > 0 && plan.onError === 'fail' && !planned.proxy) throw firstError(rows, planned);
  return summary;
}

/** A text that is too long is told the way out, where its call has one. */
function advised(outcome: Outcome, { call, schedule }: PlannedCall): Outcome {
  if (outcome.state !== 'error' || outcome.code !== 'contextTooLong' || schedule.prompts !== undefined) return outcome;
  if (strategyProblem(call, 'chunked') !== undefined) return outcome;
  return { ...outcome, message: `${outcome.message}; --strategy chunked reads such a text in parts` };
}

function answerRow(prompt: Prompt, outcome: Outcome, last: boolean): AnswerRow {
  const at = prompt.row.in;
  switch (outcome.state) {
    case 'ok': {
      const { value, confidence } = outcome.answer;
      return { in: at, state: 'ok', value: JSON.stringify(value), ...(confidence === undefined ? {} : { confidence }) };
    }
    case 'error':
      return { in: at, state: 'error', code: outcome.code, message: outcome.message };
    case 'transient':
      return last
        ? { in: at, state: 'error', code: outcome.code, message: outcome.message }
        : { in: at, state: 'undecided' };
    case 'undecided':
      return { in: at, state: 'undecided' };
  }
}

function summarise(
  prompts: readonly Prompt[],
  outcomes: readonly Outcome[],
  input: ApplyPartitionInput,
  now: number,
): AppliedPartition {
  let answered = 0;
  let passed = 0;
  let failed = 0;
  let transient = 0;
  let undecided = 0;
  let retryAt = 0;
  let limit: AppliedPartition['limit'];
  outcomes.forEach((outcome, at) => {
    switch (outcome.state) {
      case 'ok':
        answered += 1;
        if (outcome.answer.value === true) passed += prompts[at]?.row.n ?? 0;
        break;
      case 'error':
        failed += 1;
        break;
      case 'transient':
        if (input.last) failed += 1;
        else transient += 1;
        retryAt = Math.max(retryAt, outcome.retryAt ?? 0);
        break;
      case 'undecided':
        undecided += 1;
        limit ??= outcome.limit;
        break;
    }
  });
  // What is left of it: the pass itself has taken a while, and the calls in it have waited as well.
  const retryAfterMs = retryAt - now;
  return {
    answered,
    passed,
    failed,
    transient,
    undecided,
    ...(retryAfterMs > 0 ? { retryAfterMs } : {}),
    ...(limit === undefined ? {} : { limit }),
  };
}

function foundElsewhere(outcomes: readonly Outcome[], runId: string): readonly Answer[] {
  return outcomes.flatMap((outcome) =>
    outcome.state === 'ok' && outcome.cached && outcome.answer.runId !== runId ? [outcome.answer] : [],
  );
}

function firstError(rows: readonly AnswerRow[], planned: PlannedCall): FermataError {
  const row = rows.find((candidate) => candidate.state === 'error');
  const text = row?.state === 'error' ? `${row.code}: ${row.message}` : 'unknown';
  return new FermataError('RowErrors', `an input of ${planned.schedule.operator} got no answer: ${text}`, {
    where: { operator: planned.call.id },
    hint: 'use --on-error null or skip to keep the other rows',
  });
}
