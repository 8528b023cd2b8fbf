/** Precision, recall and F1 of what was found, as SemBench computes them. */

export interface Retrieval {
  readonly precision: number;
  readonly recall: number;
  /** 2·P·R/(P+R); 0 when nothing right was found. */
  readonly f1: number;
}

export interface RetrievalRules {
  /** LIMIT of the query: the result is cut to so many rows first, and recall counts against min(limit, |gold|). */
  readonly limit?: number;
  /** F1 when both are empty: 1 in most of SemBench's scenarios (the default), 0 in Movie's and Wildlife's. */
  readonly bothEmpty?: 0 | 1;
  /** What makes two items one, applied after the cut; e.g. a pair in either order. Repeated items count once. */
  readonly key?: (item: string) => string;
}

/** Items that were found against those that are right; both are sets after `key`. */
export function retrieval(found: readonly string[], gold: readonly string[], rules: RetrievalRules = {}): Retrieval {
  const { limit = Infinity, bothEmpty = 1, key = (item: string) => item } = rules;
  const named = new Set(found.slice(0, Math.min(limit, found.length)).map(key));
  const real = new Set(gold.map(key));
  if (named.size === 0 && real.size === 0) return { precision: bothEmpty, recall: bothEmpty, f1: bothEmpty };
  const hits = [...named].filter((item) => real.has(item)).length;
  return ratios(hits, named.size, Math.min(limit, real.size));
}

/** Lists whose repeated items count as further hits, as MMQA's answers do; recall is at most 1. */
export function listRetrieval(found: readonly string[], gold: readonly string[]): Retrieval {
  const real = new Set(gold);
  if (found.length === 0 && gold.length === 0) return { precision: 1, recall: 1, f1: 1 };
  const hits = found.filter((item) => real.has(item)).length;
  return ratios(hits, found.length, Math.max(hits, gold.length));
}

/** Of `named` things `hits` are right, of `wanted`. */
export function ratios(hits: number, named: number, wanted: number): Retrieval {
  const precision = named === 0 ? 0 : hits / named;
  const recall = wanted === 0 ? 0 : hits / wanted;
  return { precision, recall, f1: precision + recall === 0 ? 0 : (2 * precision * recall) / (precision + recall) };
}
