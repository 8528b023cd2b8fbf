/**
 * The order of filters on one operator where the model sees no difference: those over different base relations spare each
 * other nothing in PLOP's estimate, yet do in truth. The one with the least prompts a rejection, N / (1 − s), goes first.
 */
import type { Instance, InstanceFilter } from './instance.js';
import type { Placement } from './skeleton.js';

/** The same placement at the same price, with such neighbours in that order. */
export function orderTies({ nodes, filters }: Instance, placement: Placement): Placement {
  const places = new Map(nodes.map(({ id }, at) => [id, at]));
  return new Map(
    [...placement].map(([id, indexes]) => {
      const here = indexes.flatMap((index) => {
        const filter = filters[index];
        return filter === undefined ? [] : [neighbour(index, filter, places.get(id) ?? -1)];
      });
      return [id, sorted(here).map(({ index }) => index)] as const;
    }),
  );
}

interface Neighbour {
  readonly index: number;
  /** Prompts a rejection. */
  readonly rank: number;
  readonly sparedBy: (filter: number) => boolean;
}

function neighbour(index: number, { share, places }: InstanceFilter, node: number): Neighbour {
  const calls = places.find((place) => place.node === node)?.calls ?? [];
  const prompts = calls.reduce((sum, { distinct }) => sum + distinct, 0);
  return {
    index,
    rank: share < 1 ? prompts / (1 - share) : Infinity,
    sparedBy: (filter) => calls.some(({ sparedBy }) => sparedBy[filter] === true),
  };
}

/** Insertion sort that passes only neighbours which spare each other nothing. */
function sorted(here: readonly Neighbour[]): readonly Neighbour[] {
  return here.reduce<readonly Neighbour[]>((done, one) => {
    let at = done.length;
    for (let other = done[at - 1]; other !== undefined && passes(one, other); other = done[at - 1]) at--;
    return [...done.slice(0, at), one, ...done.slice(at)];
  }, []);
}

function passes(one: Neighbour, other: Neighbour): boolean {
  return one.rank < other.rank && !one.sparedBy(other.index) && !other.sparedBy(one.index);
}
