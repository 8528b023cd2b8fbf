/** Utilities of whole systems under several weights, as CADENZA's Appendix D computes them. */
import type { Weights } from '../../plans/tuning/objective/objective.js';
import type { Entry, Measured } from './record.js';
import { withSearch } from './summary.js';

/** W1 to W5 of Appendix D: balanced, quality-leaning, efficiency-leaning, equal, quality alone. */
export const sweptWeights = {
  W1: { quality: 1, latency: 0.4, cost: 0.3 },
  W2: { quality: 1, latency: 0.1, cost: 0.1 },
  W3: { quality: 0.3, latency: 1, cost: 1 },
  W4: { quality: 1, latency: 1, cost: 1 },
  W5: { quality: 1, latency: 0, cost: 0 },
} as const satisfies Record<string, Weights>;
export type SweptWeight = keyof typeof sweptWeights;

export interface Swept {
  readonly system: string;
  /** Queries that it answered. */
  readonly answered: number;
  readonly utilities: Readonly<Record<SweptWeight, number>>;
}

/**
 * Mean utility over all queries, L̂ and Ĉ by min–max over the systems that answered a query; one that a system does not answer is 0.
 * Latency and cost are with the search.
 */
export function sweep(entries: readonly Entry[]): readonly Swept[] {
  const queries = [...new Set(entries.map(({ query }) => query))];
  const measured = entries.filter((entry) => entry.status === 'ok');
  const scaled = new Map(
    queries.map((query) => {
      const own = measured.filter((entry) => entry.query === query);
      return [query, scales(own)] as const;
    }),
  );
  return [...new Set(entries.map(({ system }) => system))].map((system) => {
    const own = measured.filter((entry) => entry.system === system);
    const mean = (weights: Weights): number =>
      own.reduce((sum, entry) => {
        const { callSeconds, usd } = withSearch(entry);
        const { latency, cost } = scaled.get(entry.query) ?? scales([]);
        return (
          sum + weights.quality * entry.quality - weights.latency * latency(callSeconds) - weights.cost * cost(usd)
        );
      }, 0) / queries.length;
    const { W1, W2, W3, W4, W5 } = sweptWeights;
    return {
      ...{ system, answered: own.length },
      utilities: { W1: mean(W1), W2: mean(W2), W3: mean(W3), W4: mean(W4), W5: mean(W5) },
    };
  });
}

function scales(entries: readonly Measured[]) {
  const costs = entries.map(withSearch);
  return {
    latency: minMax(costs.map(({ callSeconds }) => callSeconds)),
    cost: minMax(costs.map(({ usd }) => usd)),
  };
}

/** From the least of the values, 0, to the most, 1. */
function minMax(values: readonly number[]): (value: number) => number {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return (value) => (most > least ? (value - least) / (most - least) : 0);
}
