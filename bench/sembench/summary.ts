/** From entries to tables: each query by system, utilities against sim-strong asked directly, and who wins where. */
import { normalisedCost, normalisedLatency } from '../../plans/tuning/objective/normalise.js';
import { presets, type WeightPreset, type Weights } from '../../plans/tuning/objective/objective.js';
import { type Row, round } from '../harness/report.js';
import type { Entry, Measured, Use } from './record.js';

/** What utilities are measured against: trial 0. */
const reference = 'direct';

/** U = w_q·Q − w_l·L̂ − w_c·Ĉ; L is the seconds of one call after the other, L̂ and Ĉ are 1 for the reference. */
export function utility(weights: Weights, quality: number, use: Cost, direct: Cost): number {
  const against = { latencySeconds: direct.callSeconds, costUsd: direct.usd };
  return (
    weights.quality * quality -
    weights.latency * normalisedLatency(use.callSeconds, against) -
    weights.cost * normalisedCost(use.usd, against)
  );
}

type Cost = Pick<Use, 'callSeconds' | 'usd'>;

export const withSearch = ({ use, search }: Measured): Cost => ({
  callSeconds: use.callSeconds + (search?.callSeconds ?? 0),
  usd: use.usd + (search?.usd ?? 0),
});

export function entryRow(entry: Entry): Row {
  const { query, system } = entry;
  if (entry.status !== 'ok') return { query, system, note: `${entry.status}: ${entry.why}` };
  const { use, search } = entry;
  return {
    query,
    system,
    quality: round(entry.quality, 3),
    calls: use.calls,
    'tokens in': use.inputTokens,
    out: use.outputTokens,
    'USD (pool)': round(use.usd, 5),
    'call seconds': round(use.callSeconds),
    seconds: round(use.seconds),
    'at full latency': round(use.fullSeconds),
    'search calls': search?.calls,
    'search USD': search === undefined ? undefined : round(search.usd, 5),
    load: entry.load,
    note: entry.plan,
  };
}

export interface Comparison {
  readonly query: string;
  /** The best of the systems that ask one model alone, and its utility. */
  readonly best: string;
  readonly bestUtility: number;
  readonly utility: number;
  readonly utilityWithSearch: number;
}

/**
 * A system of routed plans beside the best single backend, query by query, at its own weights. Queries without a figure for either,
 * or without the reference, are left out.
 */
export function compare(entries: readonly Entry[], { system, preset, singles }: Contest): readonly Comparison[] {
  const measured = entries.filter((entry) => entry.status === 'ok');
  return [...new Set(measured.map(({ query }) => query))].flatMap((query) => {
    const own = measured.filter((entry) => entry.query === query);
    const direct = own.find((entry) => entry.system === reference);
    const entry = own.find((one) => one.system === system);
    if (direct === undefined || entry === undefined) return [];
    const of = (one: Measured, cost: Cost): number => utility(presets[preset], one.quality, cost, direct.use);
    const ranked = own
      .filter((one) => singles.includes(one.system))
      .map((one) => ({ name: one.system, value: of(one, one.use) }))
      .sort((a, b) => b.value - a.value);
    const [best] = ranked;
    if (best === undefined) return [];
    return [
      {
        query,
        best: best.name,
        bestUtility: best.value,
        utility: of(entry, entry.use),
        utilityWithSearch: of(entry, withSearch(entry)),
      },
    ];
  });
}

export interface Contest {
  readonly system: string;
  readonly preset: WeightPreset;
  /** Systems that ask one model alone. */
  readonly singles: readonly string[];
}

export function comparisonRows(comparisons: readonly Comparison[]): readonly Row[] {
  return comparisons.map(({ query, best, bestUtility, utility: own, utilityWithSearch }) => ({
    query,
    'best single': best,
    'its utility': round(bestUtility, 3),
    'routed utility': round(own, 3),
    'with its search': round(utilityWithSearch, 3),
    beats: own > bestUtility,
    'with search': utilityWithSearch > bestUtility,
  }));
}
