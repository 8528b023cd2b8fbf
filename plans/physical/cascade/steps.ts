/** A cascade as calls of its own: the proxy over all inputs, the oracle over a sample, the oracle over what is left. */
import type { CallSchedule } from '../../protocol/activities.js';

export const cascadeSteps = ['proxy', 'sample', 'rest'] as const;
export type CascadeStep = (typeof cascadeSteps)[number];

/** Id of one step of a call: names its objects, its spend and its workflow. */
export function stepId(call: string, step: CascadeStep): string {
  return `${call}.${step}`;
}

/** The call and the step that an id names; undefined for the id of a whole call. */
export function parseStepId(id: string): { readonly call: string; readonly step: CascadeStep } | undefined {
  const step = cascadeSteps.find((candidate) => id.endsWith(`.${candidate}`));
  return step === undefined ? undefined : { call: id.slice(0, -step.length - 1), step };
}

/** The schedule of one step of a call that is run as a cascade; of any other call, the call's own. */
export function stepSchedule(call: CallSchedule, step: CascadeStep): CallSchedule {
  const { strategy, retries, ...own } = call;
  if (strategy === undefined) return call;
  const oracle = retries === undefined ? {} : { retries };
  return { ...own, id: stepId(call.id, step), ...(step === 'proxy' ? strategy.proxy : oracle) };
}

/** Fewest inputs of a partition, but for the last one. */
const leastRows = 20;
/** Partitions that a step is cut into, so that they can be asked side by side. */
const partitions = 8;

/** Inputs of a partition of a step that asks about `inputs` of them. */
export function stepPartitionRows(call: CallSchedule, inputs: number): number {
  return Math.min(call.partitionRows, Math.max(leastRows, Math.ceil(inputs / partitions)));
}
