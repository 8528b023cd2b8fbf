import { describe, expect, test } from 'vitest';
import { bandSize, candidatePairs, type Pair, resolve, type Verdict } from '../../../../plans/physical/dedup/asking.js';
import { Clusters } from '../../../../plans/physical/dedup/clusters.js';
import { nearestBySpelling, nearestByVectors, type NearestOf } from '../../../../plans/physical/dedup/nearest.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';

describe('clusters', () => {
  test('are those of a walk over the joined pairs, numbered by their first items', () => {
    for (let seed = 1; seed <= 50; seed += 1) {
      const random = mulberry32(seed);
      const size = 1 + Math.floor(random.uniform() * 30);
      const draw = (): number => Math.floor(random.uniform() * size);
      const pairs = Array.from({ length: Math.floor(random.uniform() * size) }, () => [draw(), draw()] as const);
      const clusters = new Clusters(size);
      for (const [a, b] of pairs) clusters.join(a, b);
      const firstOf = (item: number): number => {
        const seen = new Set([item]);
        for (const at of seen)
          for (const [a, b] of pairs)
            if (a === at) seen.add(b);
            else if (b === at) seen.add(a);
        return Math.min(...seen);
      };
      const firsts = Array.from({ length: size }, (_, item) => firstOf(item));
      expect(firsts.map((_, item) => clusters.of(item))).toEqual(firsts);
      const order = [...new Set(firsts)];
      expect(clusters.numbers()).toEqual(firsts.map((first) => order.indexOf(first) + 1));
    }
  });
});

describe('the nearest', () => {
  test('by vectors are those of a full sort; an item without a vector is near none', () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = mulberry32(seed);
      const vectors = Array.from({ length: 12 }, (_, at) =>
        at === 5 ? undefined : Array.from({ length: 3 }, () => random.uniform() - 0.5),
      );
      const nearest = nearestByVectors(vectors);
      expect(nearest(5, 3)).toEqual([]);
      const cosine = (a: readonly number[], b: readonly number[]): number =>
        a.reduce((sum, x, at) => sum + x * b[at]!, 0) / (Math.hypot(...a) * Math.hypot(...b));
      const others = vectors.flatMap((vector, item) =>
        vector === undefined || item === 0 ? [] : [{ item, likeness: cosine(vectors[0]!, vector) }],
      );
      const best = others.sort((a, b) => b.likeness - a.likeness).slice(0, 4);
      expect(nearest(0, 4).map(({ item }) => item)).toEqual(best.map(({ item }) => item));
      for (const [at, { likeness }] of nearest(0, 4).entries()) expect(likeness).toBeCloseTo(best[at]!.likeness, 5);
    }
  });

  test('by spelling share rare runs of characters, in any order of words; ties go to the first', () => {
    const nearest = nearestBySpelling([
      'Acme Tools Ltd',
      'Tools, Acme',
      'ACME tools ltd',
      'Bolt Ltd',
      '…',
      'Tools, Acme',
    ]);
    expect(nearest(0, 9).map(({ item }) => item)).toEqual([2, 1, 5, 3]);
    expect(nearest(0, 1)[0]!.likeness).toBeCloseTo(1);
    expect(nearest(0, 2).map(({ item }) => item)).toEqual([2, 1]);
    expect(nearest(4, 3)).toEqual([]);
  });
});

/** Asks as rounds do, with a model that is always right, or that fails or stays silent where it is told to. */
function ask(groups: readonly number[], candidates: readonly Pair[], verdictOf?: (pair: Pair) => Verdict | undefined) {
  const truth = ([a, b]: Pair): Verdict => (groups[a] === groups[b] ? 'same' : 'other');
  const rounds: Verdict[][] = [];
  const asked: Pair[] = [];
  for (;;) {
    const state = resolve(groups.length, candidates, rounds);
    if (state.next.length === 0) return { state, rounds, asked };
    asked.push(...state.next);
    rounds.push(state.next.map((pair) => verdictOf?.(pair) ?? truth(pair)));
  }
}

const allPairs = (items: number): Pair[] =>
  Array.from({ length: items }, (_, a) => Array.from({ length: items - a - 1 }, (_, b): Pair => [a, a + 1 + b])).flat();
const nearOf = (items: number, nearest: NearestOf, k: number): readonly Pair[] =>
  candidatePairs(new Map(Array.from({ length: items }, (_, item) => [item, nearest(item, k)] as const)));

describe('asking about pairs', () => {
  test('finds the groups, never asks a pair twice, and leaves out what answers imply', () => {
    for (let seed = 1; seed <= 40; seed += 1) {
      const random = mulberry32(seed);
      const groups = Array.from({ length: 40 }, () => Math.floor(random.uniform() * 6));
      const candidates = allPairs(groups.length).sort(
        ([a, b], [c, d]) => Number(groups[c] === groups[d]) - Number(groups[a] === groups[b]),
      );
      const { state, asked } = ask(groups, candidates);
      expect(new Set(asked.map(String)).size).toBe(asked.length);
      expect(asked.length).toBeLessThan(candidates.length);
      const order = [...new Set(groups)];
      expect(state.clusters.numbers()).toEqual(groups.map((group) => order.indexOf(group) + 1));
      expect(state).toMatchObject({ open: [], failed: [] });
    }
  });

  test('ends behind a band in which nothing was the same', () => {
    const groups = Array.from({ length: 60 }, (_, at) => at);
    const { asked, rounds } = ask(groups, allPairs(60));
    expect(rounds).toHaveLength(1);
    expect(asked).toHaveLength(bandSize((60 * 59) / 2));
  });

  test('goes on as long as bands are worth it', () => {
    const groups = Array.from({ length: 100 }, (_, at) => at >> 1);
    const same = allPairs(100).filter(([a, b]) => groups[a] === groups[b]);
    const others = allPairs(100).filter(([a, b]) => groups[a] !== groups[b]);
    // one pair in eight is the same, to the end
    const mixed = same.flatMap((pair, at) => [pair, ...others.slice(7 * at, 7 * at + 7)]);
    expect(ask(groups, mixed).state.clusters.numbers()).toEqual(groups.map((group) => group + 1));
  });

  test('a failure counts where it leaves two apart, an open question stops both clusters', () => {
    const groups = [0, 0, 0, 1, 1, 2];
    const candidates: Pair[] = [
      [0, 1],
      [1, 2],
      [0, 2],
      [3, 4],
      [4, 5],
    ];
    const fails = (pair: Pair): Verdict | undefined => (['0,2', '4,5'].includes(String(pair)) ? 'failed' : undefined);
    expect(ask(groups, candidates, fails).state.failed).toEqual([{ pair: [4, 5], round: 0, question: 4 }]);
    const { state } = ask(groups, candidates, (pair) => (String(pair) === '4,5' ? 'open' : undefined));
    expect(state.open).toEqual([[4, 5]]);
    expect(state.clusters.numbers()).toEqual([1, 1, 1, 2, 2, 3]);
  });

  test('what the next rounds would ask is open while a run stands still', () => {
    const groups = Array.from({ length: 100 }, (_, at) => at >> 1);
    const candidates = nearOf(
      100,
      nearestByVectors(groups.map((group, at) => [Math.cos(group), Math.sin(group), at / 1e4])),
      3,
    );
    const before = resolve(100, candidates, []);
    expect(before.open).toEqual(candidates);
    expect(before.next).toEqual(candidates.slice(0, bandSize(candidates.length)));
  });

  test('nothing near is nothing to ask', () => {
    expect(resolve(3, [], [])).toMatchObject({ next: [], open: [], failed: [] });
    expect(nearOf(2, () => [], 5)).toEqual([]);
  });
});
