import {
  allHandlersFinished,
  CancellationScope,
  type ChildWorkflowHandle,
  condition,
  proxyActivities,
  setHandler,
  startChild,
} from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { type CascadeStep, stepId, stepSchedule } from '../plans/physical/cascade/steps.js';
import { apply } from './apply.js';
import { asRunFailure } from './failures.js';
import { type ApplyInput, type ApplyResult, type Control, controlSignal } from './messages.js';
import { relationalPolicy } from './policies.js';

const { trainCascade, sampleCascade, learnCascade, mergeCascade } = proxyActivities<Activities>(relationalPolicy);

/**
 * One call over one wave as a cascade: the proxy over all inputs, the oracle over a sample, thresholds learned from it, the
 * oracle over what they leave open. A proxy that is fitted to answers of the oracle's gets these before the sample is drawn.
 * `enough` is of no use to it: thresholds hold for the wave as a whole.
 */
export async function cascade(input: ApplyInput): Promise<ApplyResult> {
  const { call, runId, plan, wave } = input;
  let control: Control = input.control;
  let stop: ApplyResult['stop'];
  let child: ChildWorkflowHandle<typeof apply> | undefined;

  setHandler(controlSignal, async (next) => {
    control = next;
    // A child that has just ended cannot be told, and need not be.
    await child?.signal(controlSignal, next).catch(() => undefined);
  });
  const stopping = () => (control.stop ?? stop) !== undefined;

  /** Asks the model of a step about its partitions, unless there are none or the run stops. */
  async function ask(step: CascadeStep, partitions: number): Promise<void> {
    if (partitions === 0 || stopping()) return;
    const sent = control;
    child = await startChild(apply, {
      workflowId: `${runId}/apply/${stepId(call.id, step)}/${wave}`,
      args: [{ v: 1, runId, plan, call: stepSchedule(call, step), wave, partitions, control: sent }],
    });
    try {
      // The control may have changed while the child was being started.
      if (control !== sent) await child.signal(controlSignal, control).catch(() => undefined);
      stop ??= (await child.result()).stop;
    } finally {
      child = undefined;
    }
  }

  return CancellationScope.nonCancellable(async () => {
    try {
      const at = { runId, plan, call: call.id, wave };
      const fitted = call.strategy?.fitted;
      let train = 0;
      let sample = 0;
      let rest = 0;
      if (fitted !== 'lexicon') await ask('proxy', input.partitions);
      if (fitted !== undefined && !stopping()) train = (await trainCascade(at)).partitions;
      await ask('train', train);
      if (!stopping()) sample = (await sampleCascade(at)).partitions;
      await ask('sample', sample);
      if (!stopping()) rest = (await learnCascade(at)).partitions;
      await ask('rest', rest);
      const merged = await mergeCascade({ ...at, sample, rest, ...(train === 0 ? {} : { train }) });
      await condition(allHandlersFinished);
      const why = control.stop ?? stop;
      return { ...merged, ...(why === undefined ? {} : { stop: why }) };
    } catch (error) {
      throw asRunFailure(error);
    }
  });
}
