/** What a search may choose: how rows are shared out among the implementations, and how sure rules must be. */
import type { Configuration, Parameter, SearchSpace } from '../tuning/space.js';
import type { SearchTable } from './table.js';

type Contenders = Pick<SearchTable, 'contenders'>;

const router = 'router';
const thresholdOf = (name: string): string => `threshold of ${name}`;

/** Implementations whose confidence comes with the answer, at no further price; the last one has nowhere to pass rows on to. */
function unsure({ contenders }: Contenders): readonly string[] {
  return contenders
    .slice(0, -1)
    .filter(({ implementation }) => implementation.family === 'symbolic')
    .map(({ implementation }) => implementation.name);
}

export function spaceOf(table: Contenders): SearchSpace {
  const thresholds = unsure(table).map(
    (name): Parameter => ({ kind: 'continuous', name: thresholdOf(name), low: 0, high: 1 }),
  );
  return { parameters: [{ kind: 'masses', name: router, buckets: table.contenders.length }, ...thresholds] };
}

/** Masses as they are, answers kept however unsure they are. */
export function plainConfiguration(table: Contenders, masses: readonly number[]): Configuration {
  return { [router]: masses, ...Object.fromEntries(unsure(table).map((name) => [thresholdOf(name), 0])) };
}

/** All rows to one implementation. */
export function aloneConfiguration(table: Contenders, at: number): Configuration {
  return plainConfiguration(
    table,
    table.contenders.map((_, other) => (other === at ? 1 : 0)),
  );
}

export function massesOf({ contenders }: Contenders, configuration: Configuration): readonly number[] {
  const masses = configuration[router];
  return Array.isArray(masses) ? (masses as readonly number[]) : contenders.map(() => 1 / contenders.length);
}

/** θ of each contender; 0 for those that have none. */
export function thresholdsOf({ contenders }: Contenders, configuration: Configuration): readonly number[] {
  return contenders.map(({ implementation }) => {
    const value = configuration[thresholdOf(implementation.name)];
    return typeof value === 'number' ? value : 0;
  });
}
