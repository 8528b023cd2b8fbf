import {
  allHandlersFinished,
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
import type { CallSchedule, PlannedQuery, Wave } from '../plans/protocol/activities.js';
import type { TakenWay } from '../plans/protocol/operator.js';
import type { RunResult } from '../plans/protocol/run.js';
import { apply } from './apply.js';
import { cascade } from './cascade.js';
import { controlOf, installControls } from './controls.js';
import { runWithin } from './deadline.js';
import { describeRun } from './details.js';
import { type ApplyResult, controlSignal, type QueryInput, type QueryState, statusQuery } from './messages.js';
import { operator } from './operator.js';
import { relationalPolicy } from './policies.js';
import { rounds } from './rounds.js';
import { routed } from './routed.js';
import { firstWave, nextWave } from './waves.js';

const phaseKey = defineSearchAttributeKey('FermataPhase', 'KEYWORD');
const spentKey = defineSearchAttributeKey('FermataSpentUsd', 'DOUBLE');
const callsKey = defineSearchAttributeKey('FermataCalls', 'INT');

const { planQuery, prepareCall, nextBlock, finishQuery } = proxyActivities<Activities>(relationalPolicy);

/** One SQL query: plan, then block by block each semantic call in order (filters wave by wave), then the rest of the SQL. */
export async function query(input: QueryInput): Promise<RunResult> {
  const state: QueryState = input.state ?? {
    v: 1,
    phase: 'planning',
    paused: false,
    pauseReason: '',
    budget: input.budget,
    startedAt: Date.now(),
    waves: [],
    nextCall: 0,
    passed: 0,
    progress: [],
  };
  let child: ChildWorkflowHandle<typeof apply> | undefined;

  const control = () => controlOf(state, state.stop);
  async function tellChild(): Promise<void> {
    setCurrentDetails(describeRun(state));
    const running = child;
    if (running !== undefined) await CancellationScope.nonCancellable(() => running.signal(controlSignal, control()));
  }
  async function stop(reason: NonNullable<QueryState['stop']>): Promise<void> {
    state.stop ??= reason;
    await tellChild();
  }
  setHandler(statusQuery, () => ({
    phase: state.paused && state.phase === 'running' ? 'paused' : state.phase,
    paused: state.paused,
    budget: state.budget,
    waiting: state.paused ? state.pauseReason : '',
    operators: state.progress,
  }));
  installControls(state, tellChild, () => stop('cancelled'));

  function enter(phase: QueryState['phase']): void {
    state.phase = phase;
    upsertSearchAttributes([{ key: phaseKey, value: phase }]);
    setCurrentDetails(describeRun(state));
  }

  /** Runs one call over one wave of rows. */
  async function runCall(
    planned: PlannedQuery,
    scheduled: CallSchedule,
    wave: Wave,
    enough: number | undefined,
  ): Promise<ApplyResult> {
    // An earlier wave may have chosen how it is answered.
    const plan = state.plan ?? planned;
    const call = plan.calls.find(({ id }) => id === scheduled.id) ?? scheduled;
    await condition(() => !state.paused || state.stop !== undefined);
    if (state.stop !== undefined) return { passed: 0, finished: 0, stop: state.stop };
    const prepared = await prepareCall({
      runId: input.runId,
      plan: plan.plan,
      call: call.id,
      wave,
      waves: call.role === 'filter' ? [] : state.waves,
      partitionRows: call.partitionRows,
    });
    const progress = state.progress.find((entry) => entry.id === call.id);
    if (progress === undefined) state.progress.push({ id: call.id, partitions: prepared.partitions, finished: 0 });
    else progress.partitions += prepared.partitions;
    if (prepared.partitions === 0) return { passed: 0, finished: 0 };
    const [way, name] = wayOf(call);
    child = await startChild(way, {
      workflowId: `${input.runId}/${name}/${call.id}/${wave.index}`,
      args: [
        {
          v: 1,
          runId: input.runId,
          plan: plan.plan,
          call,
          wave: wave.index,
          partitions: prepared.partitions,
          ...(enough === undefined ? {} : { enough }),
          ...(call.optimize === undefined ? {} : secondsLeft(state)),
          control: control(),
        },
      ],
    });
    // The control may have changed while the child was being started.
    await child.signal(controlSignal, control());
    try {
      const result = await child.result();
      const entry = state.progress.find((item) => item.id === call.id);
      if (entry !== undefined) entry.finished += result.finished;
      if (result.stop !== undefined) state.stop ??= result.stop;
      if (result.way !== undefined) state.plan = withWay(plan, result.way);
      setCurrentDetails(describeRun(state));
      return result;
    } finally {
      child = undefined;
    }
  }

  async function maybeContinueAsNew(): Promise<void> {
    if (!workflowInfo().continueAsNewSuggested) return;
    await condition(allHandlersFinished);
    await continueAsNew<typeof query>({ ...input, state });
  }

  /** Filters wave by wave until enough rows have passed or all rows have been asked. */
  async function runFilters(plan: PlannedQuery, filters: readonly CallSchedule[]): Promise<void> {
    let wave = state.waves.at(-1) ?? firstWave(plan, filters.length);
    for (;;) {
      if (state.waves.at(-1)?.index !== wave.index) state.waves.push(wave);
      while (state.nextCall < filters.length && state.stop === undefined) {
        const call = filters[state.nextCall];
        if (call === undefined) break;
        const lastFilter = state.nextCall === filters.length - 1;
        const enough = lastFilter && plan.stopAfter !== undefined ? plan.stopAfter - state.passed : undefined;
        const result = await runCall(plan, call, wave, enough);
        if (lastFilter) state.passed += result.passed;
        state.nextCall += 1;
        await maybeContinueAsNew();
      }
      const next = filters.length === 0 ? undefined : nextWave(plan, wave, state.passed);
      if (state.stop !== undefined || next === undefined) return;
      wave = next;
      state.nextCall = 0;
    }
  }

  /** Asks all calls of one block of the query. */
  async function runBlock(plan: PlannedQuery): Promise<void> {
    const filters = plan.calls.filter((call) => call.role === 'filter');
    // Also after continue-as-new: whether another wave is needed follows from the state.
    await runFilters(plan, filters);
    state.nextCall = Math.max(state.nextCall, filters.length);
    const all: Wave = { index: state.waves.length, from: 0, to: state.waves.at(-1)?.to ?? plan.rows };
    while (state.nextCall < plan.calls.length && state.stop === undefined) {
      const call = plan.calls[state.nextCall];
      if (call === undefined) break;
      await runCall(plan, call, all, undefined);
      state.nextCall += 1;
      await maybeContinueAsNew();
    }
  }

  async function run(): Promise<RunResult> {
    if (state.plan === undefined) {
      enter('planning');
      const { usd, calls, tokens } = state.budget;
      state.plan = await planQuery({
        runId: input.runId,
        request: input.request,
        budget: state.budget,
        ...(input.confirmAboveUsd === undefined ? {} : { confirmAboveUsd: input.confirmAboveUsd }),
        estimate: [input.confirmAboveUsd, usd, calls, tokens].some((limit) => limit !== undefined),
      });
    }
    enter('running');
    for (;;) {
      await runBlock(state.plan);
      const { plan, later }: PlannedQuery = state.plan;
      if (later === undefined) break;
      const { waves, startedAt } = state;
      state.plan = await nextBlock({ runId: input.runId, plan, waves, startedAt });
      Object.assign(state, { waves: [], nextCall: 0, passed: 0 });
    }
    enter('finishing');
    const result = await finishQuery({
      runId: input.runId,
      plan: state.plan.plan,
      waves: state.waves,
      stop: state.stop ?? 'complete',
      startedAt: state.startedAt,
    });
    upsertSearchAttributes([
      { key: spentKey, value: result.spend.usd },
      { key: callsKey, value: result.spend.calls },
    ]);
    enter('done');
    await condition(allHandlersFinished);
    return result;
  }

  return runWithin(state, stop, run);
}

function secondsLeft({ budget, startedAt }: QueryState): { readonly secondsLeft?: number } {
  const { seconds } = budget;
  return seconds === undefined ? {} : { secondsLeft: Math.max(0, seconds - (Date.now() - startedAt) / 1000) };
}

function withWay(planned: PlannedQuery, { plan, call }: TakenWay): PlannedQuery {
  return { ...planned, plan, calls: planned.calls.map((one) => (one.id === call.id ? call : one)) };
}

/** The workflow that answers a call, and its name in ids. */
function wayOf(call: CallSchedule) {
  if (call.optimize !== undefined) return [operator, 'operator'] as const;
  if (call.routed !== undefined) return [routed, 'routed'] as const;
  if (call.rounds !== undefined) return [rounds, 'rounds'] as const;
  return call.strategy === undefined ? ([apply, 'apply'] as const) : ([cascade, 'cascade'] as const);
}
