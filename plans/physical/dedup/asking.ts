/**
 * In which order pairs are asked about, and when enough have been. Pairs come in bands, the most alike first; two items that
 * answers have put together are not asked about again (Wang et al., SIGMOD 2013, on transitive relations); and a band in
 * which hardly any pair was the same ends it, since those behind it are less alike still.
 */
import { Clusters } from './clusters.js';
import type { Neighbour } from './nearest.js';

/** Two items, the first one first. */
export type Pair = readonly [a: number, b: number];

/** The pairs that are near by either of their items, the most alike first. */
export function candidatePairs(near: ReadonlyMap<number, readonly Neighbour[]>): readonly Pair[] {
  const found = new Map<string, { readonly pair: Pair; readonly likeness: number }>();
  for (const [item, neighbours] of near) {
    for (const { item: other, likeness } of neighbours) {
      const pair: Pair = [Math.min(item, other), Math.max(item, other)];
      const key = pair.join();
      if ((found.get(key)?.likeness ?? -Infinity) < likeness) found.set(key, { pair, likeness });
    }
  }
  return [...found.values()]
    .sort((x, y) => y.likeness - x.likeness || x.pair[0] - y.pair[0] || x.pair[1] - y.pair[1])
    .map(({ pair }) => pair);
}

/** Fewest pairs of a band, and the share of all that it holds. */
const band = { least: 64, share: 0.1 } as const;
/** A band with a smaller share of same pairs is the last one. */
const worthwhile = 0.01;

export function bandSize(pairs: number): number {
  return Math.max(band.least, Math.ceil(pairs * band.share));
}

/** What became of a question; `open`: it was not asked or not answered. */
export type Verdict = 'same' | 'other' | 'failed' | 'open';

export interface Resolved {
  readonly clusters: Clusters;
  /** What to ask in the next round; none: it is over, or answers are open. */
  readonly next: readonly Pair[];
  /** Pairs without a verdict that may still join two clusters. */
  readonly open: readonly Pair[];
  /** Questions that failed, of pairs that are in two clusters all the same. */
  readonly failed: readonly { readonly pair: Pair; readonly round: number; readonly question: number }[];
}

/** Where the asking stands after the verdicts of so many rounds, each in the order of what `next` was before it. */
export function resolve(items: number, candidates: readonly Pair[], rounds: readonly (readonly Verdict[])[]): Resolved {
  const clusters = new Clusters(items);
  const size = bandSize(candidates.length);
  const apart = ([a, b]: Pair): boolean => clusters.of(a) !== clusters.of(b);
  const failed: { readonly pair: Pair; readonly round: number; readonly question: number }[] = [];
  const open: Pair[] = [];
  let at = 0;
  const nextBand = (): readonly Pair[] => {
    let asked: readonly Pair[] = [];
    for (; at < candidates.length && asked.length === 0; at += size)
      asked = candidates.slice(at, at + size).filter(apart);
    return asked;
  };
  let next = nextBand();
  for (const [round, verdicts] of rounds.entries()) {
    let same = 0;
    for (const [question, pair] of next.entries()) {
      const verdict = verdicts[question] ?? 'open';
      if (verdict === 'same') {
        same += 1;
        clusters.join(...pair);
      } else if (verdict === 'failed') failed.push({ pair, round, question });
      else if (verdict === 'open') open.push(pair);
    }
    if (open.length > 0) break;
    const last = same < worthwhile * next.length;
    next = last ? [] : nextBand();
    if (last) at = candidates.length;
  }
  const left = open.length > 0 ? candidates.slice(at) : [...next, ...candidates.slice(at)];
  return {
    clusters,
    next: open.length > 0 ? [] : next,
    open: [...open, ...left].filter(apart),
    failed: failed.filter(({ pair }) => apart(pair)),
  };
}

/** Pairs that so many items make with so many neighbours each: at most, and as many as there are usually. */
export function pairsOf(items: number, neighbours: number): { readonly usual: number; readonly most: number } {
  const all = (items * (items - 1)) / 2;
  return { usual: Math.min(all, mutual * items * neighbours), most: Math.min(all, items * neighbours) };
}

/** Share of pairs that are left when those near from both sides count once. */
const mutual = 0.7;
