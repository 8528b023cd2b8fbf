/** Agreement of two orders. */

/** Ranks from 1; those of equal values are their mean. */
export function averageRanks(values: readonly number[]): readonly number[] {
  const order = values.map((_, at) => at).sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const ranks = new Array<number>(values.length);
  for (let from = 0; from < order.length; ) {
    let to = from;
    while (to + 1 < order.length && values[order[to + 1] ?? 0] === values[order[from] ?? 0]) to += 1;
    for (let at = from; at <= to; at++) ranks[order[at] ?? 0] = (from + to) / 2 + 1;
    from = to + 1;
  }
  return ranks;
}

/** Spearman's ρ with average ranks, in [−1, 1]; 0 for fewer than two, or where one side is all equal. */
export function spearman(found: readonly number[], gold: readonly number[]): number {
  if (found.length !== gold.length) throw new RangeError(`${found.length} values are compared with ${gold.length}`);
  const [a, b] = [averageRanks(found), averageRanks(gold)];
  const middle = (a.length + 1) / 2;
  const product = (x: readonly number[], y: readonly number[]): number =>
    x.reduce((sum, rank, at) => sum + (rank - middle) * ((y[at] ?? 0) - middle), 0);
  const spread = Math.sqrt(product(a, a) * product(b, b));
  return a.length < 2 || spread === 0 ? 0 : product(a, b) / spread;
}

/** ρ over the ids that both have; those that are missing are not penalised, as in SemBench. */
export function spearmanOfIds(found: ReadonlyMap<string, number>, gold: ReadonlyMap<string, number>): number {
  const common = [...found.keys()].filter((id) => gold.has(id));
  return spearman(
    common.map((id) => found.get(id) ?? 0),
    common.map((id) => gold.get(id) ?? 0),
  );
}

/** Rank precision at K: right ones among the first K, over min(K, |gold|); 1 where nothing is right and nothing was named. */
export function rankPrecision(ranked: readonly string[], gold: readonly string[], k: number): number {
  const real = new Set(gold);
  const named = [...new Set(ranked)].slice(0, k);
  if (real.size === 0) return Number(named.length === 0);
  return named.filter((item) => real.has(item)).length / Math.min(k, real.size);
}

/** 1 when the one row found is among those that tie for the best, else 0: two rows are 0, too. */
export function bestMatch(found: readonly string[], tied: readonly string[]): 0 | 1 {
  const [only] = found;
  return found.length === 1 && only !== undefined && tied.includes(only) ? 1 : 0;
}
