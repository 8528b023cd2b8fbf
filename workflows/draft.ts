import { condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { DraftInput } from '../plans/protocol/drafting.js';
import { asRunFailure } from './failures.js';
import { partitionPolicy, passes, relationalPolicy } from './policies.js';

const { openDrafting } = proxyActivities<Activities>(relationalPolicy);

/** Plans drafted by a planner model, one answer a step. The result is the hash of a `Drafts` object. */
export async function draft({ runId, request, budget }: DraftInput): Promise<string> {
  const { seconds, ...limits } = budget;
  const until = seconds === undefined ? Infinity : Date.now() + seconds * 1000;
  try {
    const { queue } = await openDrafting({ request });
    const { draftStep } = proxyActivities<Activities>({ ...partitionPolicy, taskQueue: queue });
    let failures = 0;
    for (;;) {
      const last = failures + 1 >= passes.maximum;
      const stop = Date.now() >= until ? { stop: 'budget-seconds' } : {};
      const step = await draftStep({ runId, request, limits, last, ...stop });
      if (step.state === 'done') return step.drafts;
      failures = step.state === 'transient' ? failures + 1 : 0;
      if (step.state === 'transient') await condition(() => false, passes.delayMs(failures, step.retryAfterMs));
    }
  } catch (error) {
    throw asRunFailure(error);
  }
}
