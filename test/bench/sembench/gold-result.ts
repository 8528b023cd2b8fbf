import type { Gold, ResultRow } from '../../../bench/sembench/gold.js';

/** The result that gold is. */
export function resultOf(gold: Gold): readonly ResultRow[] {
  return cellsOf(gold).map((row) => Object.fromEntries(row.map((cell, at) => [`c${at}`, cell])));
}

function cellsOf(gold: Gold): readonly (readonly unknown[])[] {
  switch (gold.metric) {
    case 'f1':
      return gold.items.slice(0, gold.limit);
    case 'list f1':
      return gold.items.map((item) => [item]);
    case 'relative error':
      return [[gold.value]];
    case 'relative error by label':
      return Object.entries(gold.counts);
    case 'spearman':
      return [...gold.values];
    case 'macro f1':
      return [...gold.labels];
  }
}
