import { allHandlersFinished, CancellationScope, condition, proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import { type CascadeStep, stepSchedule } from '../plans/physical/cascade/steps.js';
import { startAsking } from './asking.js';
import { asRunFailure } from './failures.js';
import type { ApplyInput, ApplyResult } from './messages.js';
import { relationalPolicy } from './policies.js';

const { embedSides, trainCascade, sampleCascade, learnCascade, mergeCascade } =
  proxyActivities<Activities>(relationalPolicy);

/**
 * One call over one wave as a cascade: the proxy over all inputs, the oracle over a sample, thresholds learned from it, the
 * oracle over what they leave open. A proxy that is fitted to answers of the oracle's gets these before the sample is drawn;
 * of pairs the values of each side are embedded, or asked for their keys, and the oracle is asked first about those that are
 * most alike, or share a key.
 * `enough` is of no use to it: thresholds hold for the wave as a whole.
 */
export async function cascade(input: ApplyInput): Promise<ApplyResult> {
  const { call, runId, plan, wave } = input;
  const asking = startAsking(input);
  const stopping = () => asking.stop() !== undefined;
  const ask = (step: CascadeStep, partitions: number) => asking.ask(stepSchedule(call, step), partitions);

  return CancellationScope.nonCancellable(async () => {
    try {
      const at = { runId, plan, call: call.id, wave };
      const fitted = call.strategy?.fitted;
      let train = 0;
      let sample = 0;
      let rest = 0;
      if (fitted === 'nearness' || fitted === 'keys') await ask('sides', (await embedSides(at)).partitions);
      else if (fitted !== 'lexicon') await ask('proxy', input.partitions);
      if (fitted !== undefined && !stopping()) train = (await trainCascade(at)).partitions;
      await ask('train', train);
      if (!stopping()) sample = (await sampleCascade(at)).partitions;
      await ask('sample', sample);
      if (!stopping()) rest = (await learnCascade(at)).partitions;
      await ask('rest', rest);
      const merged = await mergeCascade({ ...at, sample, rest, ...(train === 0 ? {} : { train }) });
      await condition(allHandlersFinished);
      const why = asking.stop();
      return { ...merged, ...(why === undefined ? {} : { stop: why }) };
    } catch (error) {
      throw asRunFailure(error);
    }
  });
}
