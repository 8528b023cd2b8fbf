import {
  allHandlersFinished,
  ApplicationFailure,
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  continueAsNew,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  startChild,
  upsertSearchAttributes,
  workflowInfo,
} from '@temporalio/workflow';
import { defineSearchAttributeKey } from '@temporalio/common';
import type { Activities } from '../activities/index.js';
import type { CallSchedule } from '../plans/protocol/activities.js';
import type { ErrorCode } from '../plans/protocol/errors.js';
import {
  type CompiledSearch,
  everyRow,
  type FinishedTrial,
  type PlannedSearch,
  replacementMargin,
  type SearchResult,
} from '../plans/protocol/search.js';
import { apply } from './apply.js';
import { controlOf, installControls, requireOpen } from './controls.js';
import { runWithin } from './deadline.js';
import { describeSearch } from './details.js';
import { asRunFailure } from './failures.js';
import { acceptUpdate, controlSignal, type OptimizeInput, type OptimizeState, searchStatusQuery } from './messages.js';
import { relationalPolicy } from './policies.js';

const phaseKey = defineSearchAttributeKey('FermataPhase', 'KEYWORD');
const spentKey = defineSearchAttributeKey('FermataSpentUsd', 'DOUBLE');
const utilityKey = defineSearchAttributeKey('FermataUtility', 'DOUBLE');

const { planSearch, prepareCall, drawSample, compileSearch, runTrial, finishSearch } =
  proxyActivities<Activities>(relationalPolicy);

/** Askings without which there is no trial 0: the labels and the default model's answers. */
const needed = 2;

/**
 * A search for a plan of one call: a sample of its inputs is labelled by the teacher and answered by the default model and each
 * candidate; trials are then computed from these answers, one after the other, each suggested from all before it.
 */
export async function optimize(input: OptimizeInput): Promise<SearchResult> {
  const { runId, request } = input;
  const state: OptimizeState = input.state ?? {
    v: 1,
    phase: 'planning',
    paused: false,
    pauseReason: '',
    budget: input.budget,
    startedAt: Date.now(),
    nextAsk: 0,
    asked: [],
    lost: [],
    trials: 0,
  };
  let child: ChildWorkflowHandle<typeof apply> | undefined;

  const control = () => controlOf(state, state.stop === 'accepted' ? 'cancelled' : state.stop);
  async function tellChild(): Promise<void> {
    setCurrentDetails(describeSearch(state));
    // A child that has just ended cannot be told, and need not be.
    await CancellationScope.nonCancellable(async () => child?.signal(controlSignal, control()).catch(() => undefined));
  }
  async function stop(reason: NonNullable<OptimizeState['stop']>): Promise<void> {
    state.stop ??= reason;
    await tellChild();
  }

  setHandler(searchStatusQuery, () => ({
    phase: state.paused && state.phase === 'running' ? 'paused' : state.phase,
    paused: state.paused,
    budget: state.budget,
    waiting: state.paused ? state.pauseReason : '',
    operators: (state.plan?.asks ?? []).map(({ id }) => ({
      id,
      partitions: state.sample?.partitions ?? 0,
      finished: state.asked.includes(id) ? (state.sample?.partitions ?? 0) : 0,
    })),
    trials: state.trials,
    ...(state.direct === undefined ? {} : { direct: state.direct }),
    ...(state.incumbent === undefined ? {} : { incumbent: state.incumbent }),
  }));
  installControls(state, tellChild, () => stop('cancelled'));
  // Of a search within a run: what the run was told.
  setHandler(controlSignal, async (told) => {
    state.paused = told.paused;
    state.budget = { ...state.budget, ...told.limits };
    if (told.stop === undefined || told.stop === 'complete') await tellChild();
    else await stop(told.stop);
  });
  setHandler(
    acceptUpdate,
    async () => {
      await stop('accepted');
      return undefined;
    },
    {
      validator: () => {
        requireOpen(state);
        if (state.asked.length < needed) throw new Error('there is no plan yet: the default model is being measured');
      },
    },
  );

  function enter(phase: OptimizeState['phase']): void {
    state.phase = phase;
    upsertSearchAttributes([{ key: phaseKey, value: phase }]);
    setCurrentDetails(describeSearch(state));
  }

  const goesOn = () => condition(() => !state.paused || state.stop !== undefined);

  async function maybeContinueAsNew(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    await condition(allHandlersFinished);
    await continueAsNew<typeof optimize>({ ...input, state });
  }

  /** Asks one model about the sample. True: it was asked about all of it. */
  async function ask(call: CallSchedule, plan: PlannedSearch, partitions: number): Promise<boolean> {
    await goesOn();
    if (state.stop !== undefined) return false;
    const sent = control();
    const args = { v: 1, runId, plan: plan.plan, call, wave: 0, partitions, control: sent } as const;
    child = await startChild(apply, { workflowId: `${runId}/apply/${call.id}/0`, args: [args] });
    try {
      // The control may have changed while the child was being started.
      await child.signal(controlSignal, control()).catch(() => undefined);
      const { stop: met } = await child.result();
      if (met !== undefined) state.stop ??= met;
      return state.stop === undefined;
    } finally {
      child = undefined;
    }
  }

  async function prepareInputs({ plan, call, rows }: PlannedSearch): Promise<NonNullable<PlannedSearch['prepared']>> {
    const wave = everyRow(rows);
    const { id, partitionRows } = call;
    const { partitions } = await prepareCall({ runId, plan, call: id, wave, waves: [wave], partitionRows });
    return { wave: wave.index, partitions };
  }

  /** The sample, and whoever is to answer it one after the other: who is reached before a budget ends hangs on nothing else. */
  async function answers(plan: PlannedSearch): Promise<number> {
    if (state.sample === undefined) {
      const { partitions, wave } = plan.prepared ?? (await prepareInputs(plan));

      const { budget } = state;
      const { confirmAboveUsd } = input;
      state.sample = await drawSample({
        ...{ runId, request, plan: plan.plan, partitions, budget },
        ...(wave === 0 ? {} : { wave }),
        ...(confirmAboveUsd === undefined ? {} : { confirmAboveUsd }),
      });
    }
    for (let call = plan.asks[state.nextAsk]; call !== undefined; call = plan.asks[state.nextAsk]) {
      const must = state.nextAsk < needed;
      try {
        if (await ask(call, plan, state.sample.partitions)) state.asked.push(call.id);
        else if (must) throw tooEarly(state);
        else state.lost.push({ name: call.model, reason: `not asked about all of the sample: ${state.stop}` });
      } catch (error) {
        if (must) throw error;
        state.lost.push({ name: call.model, reason: asRunFailure(error).message });
      }
      state.nextAsk += 1;
      setCurrentDetails(describeSearch(state));
      await maybeContinueAsNew();
    }
    return state.sample.partitions;
  }

  function take(trial: FinishedTrial): void {
    if (trial.trial === 0) state.direct = trial;
    if (state.incumbent !== undefined && trial.utility <= state.incumbent.utility + replacementMargin) return;
    state.incumbent = trial;
    upsertSearchAttributes([{ key: utilityKey, value: trial.utility }]);
  }

  /** Runs trials until enough were made, the run is stopped, or there is nothing left to try; trial 0 in any case. */
  async function tryPlans(plan: PlannedSearch, search: CompiledSearch): Promise<void> {
    for (;;) {
      await goesOn();
      if (state.trials > 0 && (state.stop !== undefined || state.trials >= plan.trials)) return;
      const { done } = await runTrial({
        table: search.table,
        ...(state.history === undefined ? {} : { history: state.history }),
      });
      if (done === undefined) return;
      state.history = done.history;
      state.trials += 1;
      take(done.trial);
      setCurrentDetails(describeSearch(state));
      if (state.trials < plan.trials) await maybeContinueAsNew();
    }
  }

  async function run(): Promise<SearchResult> {
    if (state.plan === undefined) {
      enter('planning');
      state.plan = input.plan ?? (await planSearch({ runId, request }));
      enter('running');
    }
    const { plan } = state;
    if (state.search === undefined) {
      const partitions = await answers(plan);
      const { asked, lost } = state;
      state.search = await compileSearch({ runId, request, plan: plan.plan, partitions, asked, lost });
    }
    const { search } = state;
    await tryPlans(plan, search);
    enter('finishing');
    const { history, incumbent, startedAt } = state;
    if (history === undefined || incumbent === undefined) throw new Error('trial 0 was not run');
    const result = await finishSearch({
      ...{ runId, plan: plan.plan, search, history, startedAt },
      incumbent: incumbent.trial,
      stop: state.stop ?? 'complete',
      ...(input.plan === undefined ? {} : { within: true as const }),
    });
    upsertSearchAttributes([{ key: spentKey, value: result.spend.usd }]);
    enter('done');
    await condition(allHandlersFinished);
    return result;
  }

  return runWithin(state, stop, run);
}

/** A search that ends before trial 0 has no plan to end with. */
function tooEarly({ stop, asked }: OptimizeState): ApplicationFailure {
  const at = asked.length === 0 ? 'the sample was labelled' : 'the default model had answered the sample';
  const type: ErrorCode = stop === 'cancelled' ? 'RunCancelled' : 'BudgetExhausted';
  const message = `the search was stopped before ${at} (${stop}): there is no plan yet; answers that were paid for are kept`;
  return ApplicationFailure.create({ message, type, nonRetryable: true });
}
