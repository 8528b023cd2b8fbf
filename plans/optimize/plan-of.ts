/** The routed plan that a configuration stands for. */
import type { RoutedPlan, SafetyPolicy } from '../physical/routed/plan.js';
import type { Configuration } from '../tuning/space.js';
import { evaluate } from './evaluate.js';
import { thresholdsOf } from './space.js';
import type { SearchTable } from './table.js';

/** Share of a bucket that no row has by its difficulty: rows come to it only from the bucket before. */
const leastShare = 1e-9;

/** Failures are the default model's; a bucket of which half fails is not what was measured. */
const safety: Omit<SafetyPolicy, 'model'> = { margin: 0, share: 0.5 };

/**
 * Implementations that no row of the sample came to are left out, and buckets have the shares of rows that they had there: the
 * plan is what was measured.
 */
export function planOf(table: SearchTable, configuration: Configuration): RoutedPlan {
  const { routed, reached } = evaluate(table, configuration);
  const thresholds = thresholdsOf(table, configuration);
  const rows = table.labels.length;
  const kept = [...table.contenders.keys()].filter((at) => (reached[at] ?? 0) > 0);
  const nameOf = (at: number): string => table.contenders[at]?.implementation.name ?? '';
  return {
    version: 1,
    signature: table.signature,
    implementations: table.contenders.filter((_, at) => kept.includes(at)).map(({ implementation }) => implementation),
    router: {
      scorer: table.scorer,
      logits: kept.map((at) => Math.log(Math.max(leastShare, (routed[at] ?? 0) / rows))),
    },
    thresholds: kept.map((at) => (at === kept.at(-1) ? 0 : (thresholds[at] ?? 0))),
    safety: { ...safety, model: nameOf(table.direct) },
  };
}
