/** How the calls of a run are answered: what a user asks for, and what the plan makes of it. */
import type { Targets } from '../physical/cascade/targets.js';

export const strategyKinds = ['direct', 'cascade'] as const;
/** `direct`: the model answers each input. `cascade`: a cheap proxy answers first, the model where the proxy may be wrong. */
export type StrategyKind = (typeof strategyKinds)[number];

/** A strategy for the calls of a run that have it; the others run directly. */
export type StrategyRequest =
  | { readonly kind: 'direct' }
  | {
      readonly kind: 'cascade';
      /** Name of the model that answers first. */
      readonly proxy: string;
      readonly targets: Targets;
    };

/** A cascade as planned for one call; the model of the call is the oracle. */
export interface CascadeSchedule {
  readonly kind: 'cascade';
  readonly proxy: {
    readonly model: string;
    readonly queue: string;
    readonly window: number;
    readonly retries?: number;
  };
  readonly targets: Targets;
}
