import {
  allHandlersFinished,
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  proxyActivities,
  setCurrentDetails,
  setHandler,
  startChild,
  type Workflow,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import {
  type ChosenWay,
  searchShare,
  type TakenWay,
  type TakeWayInput,
  withoutChoice,
} from '../plans/protocol/operator.js';
import type { SearchResult } from '../plans/protocol/search.js';
import type { SpendLimits } from '../plans/protocol/spend.js';
import { apply } from './apply.js';
import { asRunFailure } from './failures.js';
import { type ApplyInput, type ApplyResult, type Control, controlSignal } from './messages.js';
import { optimize } from './optimize.js';
import { relationalPolicy } from './policies.js';
import { routed } from './routed.js';

const { chooseWay, takeWay } = proxyActivities<Activities>(relationalPolicy);

type Search = Extract<ChosenWay, { readonly way: 'search' }>;
type Outcome = Pick<TakeWayInput, 'why' | 'routed' | 'kept' | 'search' | 'again'>;

/**
 * One call over its first rows: chooses how it is answered (directly, by a kept plan, or by one that is searched for first), then
 * answers it. A search that fails, or that meets its part of the budget, leaves the best plan that it has, or the default model.
 */
export async function operator(input: ApplyInput): Promise<ApplyResult> {
  const { runId, plan, call, wave, secondsLeft, ...given } = input;
  let control = input.control;
  let tell: ((told: Control) => Promise<void>) | undefined;
  setHandler(controlSignal, async (told) => {
    control = told;
    await tell?.(told);
  });

  /** Runs a child that hears of every change of what this workflow is told, as `fit` makes it. */
  async function run<W extends Workflow>(child: ChildWorkflowHandle<W>, fit: (told: Control) => Control) {
    // A child that has just ended cannot be told, and need not be.
    tell = (told) => child.signal(controlSignal, fit(told)).catch(() => undefined);
    try {
      // The control may have changed while the child was being started.
      await tell(control);
      return await child.result();
    } finally {
      tell = undefined;
    }
  }

  async function search({ search: planned, limits, missed }: Search, request: string): Promise<Outcome> {
    const seconds = secondsLeft === undefined ? {} : { seconds: searchShare * secondsLeft };
    const budget = { ...limits, ...seconds };
    const andMissed = missed === undefined ? '' : `; ${missed}`;
    try {
      const child = await startChild(optimize, {
        workflowId: `${runId}/optimize/${call.id}`,
        args: [{ v: 1, runId, request, budget, plan: planned }],
      });
      const result: SearchResult = await run(child, (told) => ({ ...told, limits: lesser(limits, told.limits) }));
      const found = outcomeOf(result);
      return { ...found, why: `${found.why}${andMissed}`, search: planned.plan };
    } catch (error) {
      const failed = asRunFailure(error).message.slice(0, 300);
      return { why: `is answered directly: the search for a plan failed: ${failed}${andMissed}`, search: planned.plan };
    }
  }

  async function choose(): Promise<ChosenWay> {
    try {
      return await chooseWay({ runId, plan, call: call.id, wave, limits: control.limits });
    } catch (error) {
      const failed = asRunFailure(error).message.slice(0, 300);
      return { way: 'direct', why: `is answered directly: how to do better could not be told: ${failed}` };
    }
  }

  async function outcome(chosen: ChosenWay): Promise<Outcome> {
    if (chosen.way === 'search') {
      setCurrentDetails(chosen.why);
      return search(chosen, call.optimize?.request ?? '');
    }
    const { why } = chosen;
    if (chosen.way === 'kept') return { why, routed: chosen.plan, kept: chosen.id };
    return { why, ...(chosen.again === undefined ? {} : { again: true as const }) };
  }

  /** A plan that cannot answer the call after all gives way to the default model. */
  async function take(found: Outcome): Promise<TakenWay> {
    const at = { runId, plan, call: call.id };
    if (found.routed === undefined) return takeWay({ ...at, ...found });
    try {
      return await takeWay({ ...at, ...found });
    } catch (error) {
      const { why, search: searched } = found;
      const failed = asRunFailure(error).message.slice(0, 300);
      const asked = searched === undefined ? {} : { search: searched };
      return takeWay({ ...at, ...asked, why: `is answered directly; it ${why}, but that failed: ${failed}` });
    }
  }

  return CancellationScope.nonCancellable(async () => {
    try {
      await condition(() => !control.paused || control.stop !== undefined);
      const found = await outcome(await choose());
      if (control.stop !== undefined) return { passed: 0, finished: 0, stop: control.stop };
      const way = await take(found);
      setCurrentDetails(found.why);
      const schedule = withoutChoice(way.call);
      const [answer, name] =
        schedule.routed === undefined ? ([apply, 'apply'] as const) : ([routed, 'routed'] as const);
      const child = await startChild(answer, {
        workflowId: `${runId}/${name}/${call.id}/${wave}`,
        args: [{ ...given, runId, wave, plan: way.plan, call: schedule, control }],
      });
      const result = await run(child, (told) => told);
      await condition(allHandlersFinished);
      return { ...result, way };
    } catch (error) {
      throw asRunFailure(error);
    }
  });
}

function outcomeOf({ saved, plan, incumbent, direct, trials, labelled, stop }: SearchResult): Outcome {
  const searched = `a search over ${labelled} labels (${trials} tried)`;
  const ended = stop === 'complete' ? '' : ` (ended early: ${stop})`;
  if (incumbent.trial === 0) return { why: `is answered directly: ${searched} found nothing better${ended}` };
  const utility = `utility ${incumbent.utility.toFixed(3)} instead of ${direct.utility.toFixed(3)}`;
  const named = saved === undefined ? '' : ` ${saved}`;
  return { why: `is answered by the plan${named} that ${searched} found: ${utility}${ended}`, routed: plan };
}

/** A search keeps to its part, also when the run is given less. */
function lesser(own: SpendLimits, run: SpendLimits): SpendLimits {
  const least = (kind: keyof SpendLimits) => {
    const given = [own[kind], run[kind]].filter((limit) => limit !== undefined);
    return given.length === 0 ? {} : { [kind]: Math.min(...given) };
  };
  return { ...least('usd'), ...least('calls'), ...least('tokens') };
}
