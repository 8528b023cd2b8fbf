/** What a routed plan did over one wave: kept with the run's objects, and told to people. */
import type { RoutedSchedule } from '../../protocol/strategy.js';

export interface RoutedRecord {
  readonly v: 1;
  /** Distinct inputs. */
  readonly inputs: number;
  /** One for each implementation. */
  readonly parts: readonly {
    /** Inputs of its bucket. */
    readonly routed: number;
    /** Inputs whose answer is its own; absent until the wave is over. */
    readonly decided?: number;
    /** Why it was switched off. */
    readonly off?: string;
  }[];
  /** Inputs that the default model answered in safe mode; absent until the wave is over. */
  readonly safe?: number;
}

/** Share of the inputs that each implementation decides, then that of safe mode; until a wave is over, those of its bucket. */
export function routedShares(records: readonly RoutedRecord[]): readonly number[] {
  const inputs = Math.max(
    1,
    sum(records, (record) => record.inputs),
  );
  const parts = records[0]?.parts ?? [];
  return [
    ...parts.map((_, at) => sum(records, (record) => decidedBy(record, at)) / inputs),
    sum(records, ({ safe = 0 }) => safe) / inputs,
  ];
}

function decidedBy({ parts }: RoutedRecord, at: number): number {
  return parts[at]?.decided ?? parts[at]?.routed ?? 0;
}

/** One sentence about a call that was answered by a routed plan, over all of its waves. */
export function describeRouted(title: string, routed: RoutedSchedule, records: readonly RoutedRecord[]): string {
  const shares = routedShares(records);
  const who = routed.implementations.map(({ name }, at) => `${name} decided ${percent(shares[at])}`);
  const safe = sum(records, (record) => record.safe ?? 0);
  const off = new Map(
    records.flatMap(({ parts }) =>
      parts.flatMap((part, at) => (part.off === undefined ? [] : [[at, part.off] as const])),
    ),
  );
  const switched = [...off].map(([at, why]) => `${routed.implementations[at]?.name ?? ''} was switched off (${why})`);
  return [
    `${title} was routed: ${who.join(', ')}`,
    ...(safe === 0
      ? []
      : [`; ${safe} of ${sum(records, ({ inputs }) => inputs)} inputs ended in safe mode, by ${routed.safe.model}`]),
    ...(switched.length === 0 ? [] : [`; the plan is degraded: ${switched.join('; ')}`]),
  ].join('');
}

/** One sentence about a call that is to be answered by a routed plan, by the masses of its buckets. */
export function describeRoute(
  title: string,
  { implementations, safe }: RoutedSchedule,
  masses: readonly number[],
): string {
  const who = implementations.map(({ name }, at) => `${name} ${percent(masses[at])}`);
  return `${title} is routed by difficulty: ${who.join(', ')}; in safe mode ${safe.model} answers`;
}

function percent(share = 0): string {
  return `${Math.round(1000 * share) / 10} %`;
}

function sum(records: readonly RoutedRecord[], of: (record: RoutedRecord) => number): number {
  return records.reduce((total, record) => total + of(record), 0);
}
