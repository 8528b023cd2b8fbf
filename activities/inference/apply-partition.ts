import type { AppliedPartition, ApplyPartitionInput } from '../../plans/protocol/activities.js';
import { CallError } from '../../plans/protocol/call-errors.js';
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
import { answeringModel } from './answering-model.js';
import { type AskContext, ask } from './ask.js';
import { embedAll } from './embed-all.js';
import { type Outcome, outcomesOf } from './outcome.js';
import { prepareMedia } from './prepare-media.js';
import { isText, loadMedia, type Prompt, renderInput } from './prompts.js';

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
  const prepared = await prepareMedia(ports.codec.decodeInputs(bytes), planned.call, model, ports.media);
  const prompts = prepared.map(({ row, problem }): Prompt => {
    const prompt = renderInput(planned.call, row, model, salt, { confidence: planned.proxy });
    return problem === undefined ? prompt : { ...prompt, problem };
  });
  const found = await ports.ledger.lookup(prompts.map((prompt) => prompt.key));

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
      ? await askAll(prompts, found, { ...context, model: { ...model, ...answers } }, ports.store, onAnswer)
      : await embedAll(prompts, found, { ...context, model, ...answers, store: ports.store, onAnswer });

  const rows = prompts.map((prompt, at) => answerRow(prompt, outcomes[at] ?? { state: 'undecided' }, input.last));
  await ports.store.putNamed(
    runObjects.answers(input.runId, input.wave, input.call, input.partition),
    ports.codec.encodeAnswers(rows),
  );
  const summary = summarise(prompts, outcomes, input);
  const elsewhere = foundElsewhere(found, input.runId);
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

/** Asks what the ledger lacks, each distinct key once; a fatal failure stops the others from starting. */
async function askAll(
  prompts: readonly Prompt[],
  found: readonly (Answer | undefined)[],
  context: AskContext,
  store: ObjectStore,
  onAnswer: () => void,
): Promise<readonly Outcome[]> {
  const halt = new AbortController();
  const asking = { ...context, stop: AbortSignal.any([context.stop, halt.signal]) };
  const asked = new Map<string, Promise<Outcome>>();
  // One async function a call, no chains: at thousands of rows a second promises are what costs.
  const askNow = async (prompt: Prompt): Promise<Outcome> => {
    const { request, key, problem } = prompt;
    let outcome: Outcome;
    try {
      if (problem !== undefined) throw problem;
      outcome = await ask(isText(request) ? request : await loadMedia(request, store), key, asking);
    } catch (error) {
      if (!(error instanceof CallError) || error.fate !== 'row') {
        halt.abort();
        throw error;
      }
      outcome = { state: 'error', code: error.code, message: error.message };
    }
    // Once a limit has refused one call it refuses the rest: do not queue them at the gate.
    if (outcome.state === 'undecided' && outcome.limit !== undefined) halt.abort();
    onAnswer();
    return outcome;
  };
  for (const [at, prompt] of prompts.entries()) {
    if (found[at] === undefined && !asked.has(prompt.key)) asked.set(prompt.key, askNow(prompt));
  }
  const outcomes = new Map<string, Outcome>();
  const settled = await Promise.allSettled(asked.values());
  for (const [at, key] of [...asked.keys()].entries()) {
    const result = settled[at];
    if (result?.status === 'rejected') throw result.reason;
    if (result !== undefined) outcomes.set(key, result.value);
  }
  return outcomesOf(prompts, found, outcomes);
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
): AppliedPartition {
  let answered = 0;
  let passed = 0;
  let failed = 0;
  let transient = 0;
  let undecided = 0;
  let retryAfterMs: number | undefined;
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
        retryAfterMs = Math.max(retryAfterMs ?? 0, outcome.retryAfterMs ?? 0);
        break;
      case 'undecided':
        undecided += 1;
        limit ??= outcome.limit;
        break;
    }
  });
  return {
    answered,
    passed,
    failed,
    transient,
    undecided,
    ...(retryAfterMs ? { retryAfterMs } : {}),
    ...(limit === undefined ? {} : { limit }),
  };
}

function foundElsewhere(found: readonly (Answer | undefined)[], runId: string): readonly Answer[] {
  return found.filter((answer): answer is Answer => answer !== undefined && answer.runId !== runId);
}

function firstError(rows: readonly AnswerRow[], planned: PlannedCall): FermataError {
  const row = rows.find((candidate) => candidate.state === 'error');
  const text = row?.state === 'error' ? `${row.code}: ${row.message}` : 'unknown';
  return new FermataError('RowErrors', `an input of ${planned.schedule.operator} got no answer: ${text}`, {
    where: { operator: planned.call.id },
    hint: 'use --on-error null or skip to keep the other rows',
  });
}
