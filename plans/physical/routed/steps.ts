/** A routed call as calls of its own: one for each implementation, and one for the default model in safe mode. */
import type { CallSchedule } from '../../protocol/activities.js';
import type { RoutedBy, RoutedSchedule } from '../../protocol/strategy.js';

/** An implementation by its place in the plan, from 0. */
export type RoutedStep = number | 'safe';

/** Id of one step of a call: names its objects, its spend and its workflow. */
export function routedId(call: string, step: RoutedStep): string {
  return `${call}.${step === 'safe' ? step : `i${step}`}`;
}

/** The call and the step that an id names; undefined for any other id. */
export function parseRoutedId(id: string): { readonly call: string; readonly step: RoutedStep } | undefined {
  const match = /^(.+)\.(?:i(\d+)|safe)$/.exec(id);
  if (match?.[1] === undefined) return undefined;
  return { call: match[1], step: match[2] === undefined ? 'safe' : Number(match[2]) };
}

/** In the order in which an input may meet them. */
export function stepsOf({ implementations }: RoutedSchedule): readonly RoutedStep[] {
  return [...implementations.keys(), 'safe'];
}

/** @throws RangeError for a step that the plan has not */
export function stepBy({ implementations, safe }: RoutedSchedule, step: RoutedStep): RoutedBy {
  const by = step === 'safe' ? safe : implementations[step];
  if (by === undefined) throw new RangeError(`the plan has no implementation ${step}`);
  return by;
}

/** The schedule of one step of a routed call; of any other call, the call's own. */
export function routedSchedule(call: CallSchedule, step: RoutedStep): CallSchedule {
  const { id, operator, role, routed } = call;
  if (routed === undefined) return call;
  const { model, queue, partitionRows, window, retries, prompts, program } = stepBy(routed, step);
  return {
    ...{ id: routedId(id, step), operator, role, model, queue, partitionRows, window },
    ...(retries === undefined ? {} : { retries }),
    ...(prompts === undefined ? {} : { prompts }),
    ...(program === undefined ? {} : { program }),
  };
}
