/**
 * A cascade as calls of its own: the proxy over all inputs, the oracle over a sample, the oracle over what is left. For a
 * proxy that is fitted, vectors stand in the place of the proxy's answers, the oracle answers what it is fitted to, and its
 * scores are a step that asks nobody.
 */
import type { CallSchedule } from '../../protocol/activities.js';
import type { CascadeSchedule } from '../../protocol/strategy.js';

export const cascadeSteps = ['proxy', 'sides', 'train', 'score', 'sample', 'rest'] as const;
export type CascadeStep = (typeof cascadeSteps)[number];

/** The steps that reports tell apart; scores count as the proxy's. */
export type ReportedStep = Exclude<CascadeStep, 'score'>;

/** In their order. Word weights have a proxy step too, which decides without a call. */
export function reportedSteps(strategy: CascadeSchedule): readonly ReportedStep[] {
  if (readsSides(strategy)) return ['sides', 'train', 'sample', 'rest'];
  return strategy.fitted === undefined ? ['proxy', 'sample', 'rest'] : ['proxy', 'train', 'sample', 'rest'];
}

/** Whether the proxy reads the values of the two sides of pairs, each once, and says which pairs are asked about first. */
export function readsSides({ fitted }: Pick<CascadeSchedule, 'fitted'>): boolean {
  return fitted === 'nearness' || fitted === 'keys';
}

/** The step whose answers say how likely each input is true. */
export function scoringStep({ fitted }: CascadeSchedule): CascadeStep {
  return fitted === undefined ? 'proxy' : 'score';
}

/** The proxy as people know it. */
export function proxyName({ fitted, proxy }: CascadeSchedule): string {
  if (fitted === 'keys') return `keys by ${proxy.model}`;
  if (fitted === 'nearness') return `nearness by ${proxy.model}`;
  return fitted === 'embedding' ? `embedding:${proxy.model}` : proxy.model;
}

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
  return { ...own, id: stepId(call.id, step), ...(step === 'proxy' || step === 'sides' ? strategy.proxy : oracle) };
}

/** Fewest inputs of a partition, but for the last one. */
const leastRows = 20;
/** Partitions that a step is cut into, so that they can be asked side by side. */
const partitions = 8;

/** Inputs of a partition of a step that asks about `inputs` of them. */
export function stepPartitionRows(call: CallSchedule, inputs: number): number {
  return Math.min(call.partitionRows, Math.max(leastRows, Math.ceil(inputs / partitions)));
}
