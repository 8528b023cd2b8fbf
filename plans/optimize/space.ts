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

/** Masses and thresholds, one of each for each contender; thresholds of those that are always sure are left out. */
export function configurationFrom(
  table: Contenders,
  masses: readonly number[],
  thresholds: readonly number[],
): Configuration {
  const passing = unsure(table);
  const own = table.contenders.flatMap(({ implementation: { name } }, at) =>
    passing.includes(name) ? [[thresholdOf(name), thresholds[at] ?? 0] as const] : [],
  );
  return { [router]: masses, ...Object.fromEntries(own) };
}

/** Masses as they are, answers kept however unsure they are. */
export function plainConfiguration(table: Contenders, masses: readonly number[]): Configuration {
  return configurationFrom(table, masses, []);
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
