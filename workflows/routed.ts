import { allHandlersFinished, CancellationScope, condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { CallSchedule, RoutedAsked, RoutedPart } from '../plans/protocol/activities.js';
import { routedSchedule } from '../plans/physical/routed/steps.js';
import { asksDefault, passesOn } from '../plans/physical/routed/verdict.js';
import { type Asking, startAsking } from './asking.js';
import { asRunFailure } from './failures.js';
import type { ApplyInput, ApplyResult } from './messages.js';
import { relationalPolicy } from './policies.js';

const { routeInputs, passOn, mergeRouted } = proxyActivities<Activities>(relationalPolicy);

type Asked = { -readonly [key in keyof RoutedAsked]: RoutedAsked[key] };

/**
 * One call over one wave by a routed plan: every input to the bucket of an implementation, all buckets asked side by side; what
 * one is not sure of goes to the next; what failed, or was less sure than the safety margin, to the default model.
 */
export async function routed(input: ApplyInput): Promise<ApplyResult> {
  const { call, runId, plan, wave } = input;
  const asking = startAsking(input);
  const stopping = () => asking.stop() !== undefined;

  return CancellationScope.nonCancellable(async () => {
    try {
      const at = { runId, plan, call: call.id, wave };
      const { parts, off } = await routeInputs(at);
      const asked = parts.map(({ partitions }): Asked => ({ own: partitions, partitions }));
      for (const { step, why } of off) Object.assign(asked[step] ?? {}, { off: why });
      const buckets = parts.map((part, step) => askPart(asking, call, asked, step, part));
      // Each is waited for in its turn below; one that fails meanwhile must not end the workflow unheard.
      for (const bucket of buckets) bucket.catch(() => undefined);
      for (const [step, one] of asked.entries()) {
        await buckets[step];
        if (stopping() || step === 0 || call.routed === undefined || !passesOn(call.routed, step - 1)) continue;
        const more = await passOn({ ...at, to: step, asked });
        one.partitions = one.own + more.partitions;
        await askPart(asking, call, asked, step, more);
      }
      let safe = 0;
      if (!stopping()) safe = (await passOn({ ...at, to: 'safe', asked })).partitions;
      await asking.ask(routedSchedule(call, 'safe'), safe);
      const merged = await mergeRouted({ ...at, asked, safe });
      await condition(allHandlersFinished);
      const why = asking.stop();
      return { ...merged, ...(why === undefined ? {} : { stop: why }) };
    } catch (error) {
      throw asRunFailure(error);
    }
  });
}

/** Asks an implementation about its last partitions. One that fails as a whole, or in too much, is switched off. */
async function askPart(
  asking: Asking,
  call: CallSchedule,
  asked: readonly Asked[],
  step: number,
  { inputs, partitions, most }: RoutedPart,
): Promise<void> {
  const one = asked[step];
  if (one === undefined || call.routed === undefined || one.off !== undefined) return;
  // The default model has no stand-in: what fails with it fails the run, and what it answers is never in safe mode.
  const isDefault = asksDefault(call.routed, step);
  const from = one.partitions - partitions;
  try {
    const result = await asking.ask(routedSchedule(call, step), one.partitions, {
      from,
      ...(isDefault ? {} : { mostUnsure: most }),
    });
    if (result?.gaveUp === true) one.off = `more than ${most} of ${inputs} inputs failed or were too unsure`;
  } catch (error) {
    if (isDefault) throw error;
    one.off = asRunFailure(error).message.slice(0, 300);
  }
}
