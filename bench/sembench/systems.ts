/** How a query of a suite is answered: by each backend alone, our strategies, plans that are searched for, and other systems. */
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import type { WeightPreset } from '../../plans/tuning/objective/objective.js';
import type { SemQuery } from './scenario.js';

/** Models by the names that projects give them, as the pool knows them. */
export const backends = { strong: 'sim-strong', mini: 'sim-mini', nano: 'sim-nano', embed: 'sim-embed' } as const;
export type Backend = keyof typeof backends;

export type System = OwnSystem | PeerSystem;

/** A system of others, by a script in a virtual environment of its own; see docs/benchmarks.md. */
export interface PeerSystem {
  readonly about: string;
  readonly peer: { readonly venv: string; readonly script: string };
  readonly model: Backend;
  /** Answers first, where the model may be spared. */
  readonly helper?: Backend;
}

export interface OwnSystem {
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
  lotus: { about: 'LOTUS, sim-strong', model: 'strong', peer: { venv: 'lotus', script: 'lotus_peer.py' } },
  'lotus-cascade': {
    about: 'LOTUS, sim-strong with sim-mini as its proxy, 0.9 and 0.9',
    ...{ model: 'strong', helper: 'mini', peer: { venv: 'lotus', script: 'lotus_peer.py' } },
  },
  palimpzest: {
    about: 'Palimpzest, its optimizer over the three chat models',
    ...{ model: 'strong', peer: { venv: 'palimpzest', script: 'palimpzest_peer.py' } },
  },
  docetl: {
    about: 'DocETL, sim-strong, not optimized',
    ...{ model: 'strong', peer: { venv: 'docetl', script: 'docetl_peer.py' } },
  },
  thalamusdb: {
    about: 'ThalamusDB, sim-strong',
    ...{ model: 'strong', peer: { venv: 'thalamusdb', script: 'thalamusdb_peer.py' } },
  },
};

/** Ours, with one search a query. */
export const quickSystems: readonly string[] = Object.entries(systems).flatMap(([name, system]) =>
  'peer' in system || (system.search !== undefined && system.search !== 'balanced') ? [] : [name],
);

/** Names by which Palimpzest knows the backends. */
export const aliases: Readonly<Record<string, string>> = {
  'gpt-4o-2024-08-06': backends.strong,
  'gpt-4o-mini-2024-07-18': backends.mini,
  'gpt-4.1-nano-2025-04-14': backends.nano,
};

/** Whether a system has anything of its own to do for a query. */
export function applies(system: System, query: SemQuery): boolean {
  return 'peer' in system || system.pairs !== true || query.pairs === true;
}

export function sqlOf(system: OwnSystem, query: SemQuery): string {
  return system.form === 'rewritten' ? (query.rewritten ?? query.sql) : query.sql;
}
