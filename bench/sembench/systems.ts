/** How Fermata answers a query of a suite: each backend alone, its strategies, and plans that it searches for. */
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import type { WeightPreset } from '../../plans/tuning/objective/objective.js';
import type { SemQuery } from './scenario.js';

/** Models by the names that projects give them, as the pool knows them. */
export const backends = { strong: 'sim-strong', mini: 'sim-mini', nano: 'sim-nano', embed: 'sim-embed' } as const;
export type Backend = keyof typeof backends;

export interface System {
  readonly about: string;
  /** The default model. */
  readonly model: Backend;
  /** `asked`: as the query is worded. `rewritten`: rows by themselves, where the query asks about pairs. */
  readonly form: 'asked' | 'rewritten';
  readonly strategy?: StrategyRequest;
  /** A plan is searched for first, with these weights. */
  readonly search?: WeightPreset;
  /** One model and nothing else: what routed plans are held against. */
  readonly single?: true;
  /** For pairs alone. */
  readonly pairs?: true;
}

const targets = { recall: 0.9, precision: 0.9, confidence: 0.95 } as const;

export const systems: Readonly<Record<string, System>> = {
  direct: { about: 'sim-strong, a row a call', model: 'strong', form: 'asked', single: true },
  'direct-mini': { about: 'sim-mini, a row a call', model: 'mini', form: 'asked', single: true },
  'direct-nano': { about: 'sim-nano, a row a call', model: 'nano', form: 'asked', single: true },
  rewritten: { about: 'pairs by rows, sim-strong', model: 'strong', form: 'rewritten', single: true, pairs: true },
  'rewritten-mini': { about: 'pairs by rows, sim-mini', model: 'mini', form: 'rewritten', single: true, pairs: true },
  'rewritten-nano': { about: 'pairs by rows, sim-nano', model: 'nano', form: 'rewritten', single: true, pairs: true },
  cascade: {
    about: "LOTUS's shape: sim-mini, sim-strong where it may be wrong; 0.9 and 0.9 at 0.95",
    model: 'strong',
    form: 'asked',
    strategy: { kind: 'cascade', proxy: 'mini', targets },
  },
  batched: {
    about: 'sim-strong, 20 a prompt',
    model: 'strong',
    form: 'asked',
    strategy: { kind: 'batched', size: 20 },
  },
  classify: {
    about: 'sim-strong, one row and 50 candidates a prompt',
    model: 'strong',
    form: 'asked',
    pairs: true,
    strategy: { kind: 'classify', size: 50 },
  },
  routed: { about: 'searched for, balanced', model: 'strong', form: 'rewritten', search: 'balanced' },
  'routed-quality': {
    about: 'searched for, quality first',
    model: 'strong',
    form: 'rewritten',
    search: 'quality-first',
  },
  'routed-efficiency': {
    about: 'searched for, efficiency first',
    model: 'strong',
    form: 'rewritten',
    search: 'efficiency-first',
  },
};

/** Whether a system has anything of its own to do for a query. */
export function applies(system: System, query: SemQuery): boolean {
  return system.pairs !== true || query.pairs === true;
}

export function sqlOf(system: System, query: SemQuery): string {
  return system.form === 'rewritten' ? (query.rewritten ?? query.sql) : query.sql;
}
