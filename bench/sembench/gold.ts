/** SemBench's metrics, to the letter, on the rows of a result; cells count from the left. */
import { macroF1 } from '../../plans/evaluation/labels.js';
import { errorQuality, groupedError, relativeError } from '../../plans/evaluation/numbers.js';
import { spearmanOfIds } from '../../plans/evaluation/ranking.js';
import { listRetrieval, retrieval } from '../../plans/evaluation/retrieval.js';

export type ResultRow = Readonly<Record<string, unknown>>;

/** The right answer of a query; its `metric` says how a result is held against it. */
export type Gold =
  /** F1 of sets of rows. */
  | {
      readonly metric: 'f1';
      readonly items: readonly (readonly string[])[];
      /** LIMIT of the query: the result is cut to it, and recall counts against it where gold is larger. */
      readonly limit?: number;
      /** F1 of an empty result where nothing is right: 0 in Movie and in Wildlife's retrieval, 1 elsewhere. */
      readonly bothEmpty: 0 | 1;
      /** The last two cells are a pair in either order. */
      readonly pairs?: true;
    }
  /** F1 of lists of one lower-cased column: rows that are there twice are two hits. */
  | { readonly metric: 'list f1'; readonly items: readonly string[] }
  /** 1 / (1 + relative error) of the one number of the result. */
  | { readonly metric: 'relative error'; readonly value: number }
  /** The same of the mean error over labels; rows are (label, number). */
  | { readonly metric: 'relative error by label'; readonly counts: Readonly<Record<string, number>> }
  /** Spearman's ρ over the ids that both have; rows are (id, number). Cut to 0 where it is negative. */
  | { readonly metric: 'spearman'; readonly values: ReadonlyMap<string, number> }
  /** Macro F1 of the lower-cased last cell, rows in the order of the first; another number of rows is 0. */
  | { readonly metric: 'macro f1'; readonly labels: ReadonlyMap<string, string> };

/** Quality of a result, in [0, 1]. */
export function qualityOf(rows: readonly ResultRow[], gold: Gold): number {
  const cells = rows.map((row) => Object.values(row));
  switch (gold.metric) {
    case 'f1': {
      const { items, limit, bothEmpty, pairs } = gold;
      const rules = { bothEmpty, ...(limit === undefined ? {} : { limit }), ...(pairs ? { key: unordered } : {}) };
      return retrieval(cells.map(item), items.map(item), rules).f1;
    }
    case 'list f1': {
      const named = cells.map(([first]) => text(first).toLowerCase());
      return listRetrieval(
        named,
        gold.items.map((one) => one.toLowerCase()),
      ).f1;
    }
    case 'relative error':
      return errorQuality(cells.length === 1 ? numberError(cells[0] ?? [], gold.value) : 1);
    case 'relative error by label': {
      const counts = Object.fromEntries(cells.map(([label, count]) => [text(label).toLowerCase(), number(count) ?? 0]));
      return errorQuality(groupedError(counts, gold.counts));
    }
    case 'spearman': {
      const values = cells.map(([id, value]) => [text(id), number(value)] as const);
      const known = values.filter((pair): pair is readonly [string, number] => pair[1] !== undefined);
      return Math.max(0, spearmanOfIds(new Map(known), gold.values));
    }
    case 'macro f1': {
      if (cells.length !== gold.labels.size) return 0;
      const named = new Map(cells.map((row) => [text(row[0]), text(row.at(-1)).toLowerCase()]));
      const ids = [...gold.labels.keys()].sort();
      return macroF1(
        ids.map((id) => named.get(id) ?? ''),
        ids.map((id) => gold.labels.get(id)?.toLowerCase() ?? ''),
      );
    }
  }
}

const separator = '\n';

function item(cells: readonly unknown[]): string {
  return cells.map(text).join(separator);
}

/** The same item for both orders of the last two cells. */
function unordered(joined: string): string {
  const cells = joined.split(separator);
  return [...cells.slice(0, -2), ...cells.slice(-2).sort()].join(separator);
}

function text(cell: unknown): string {
  return typeof cell === 'string' ? cell : typeof cell === 'bigint' ? cell.toString() : JSON.stringify(cell ?? null);
}

/** Error of the first cell that is a number, or reads as one; 1 where none is. */
function numberError(cells: readonly unknown[], gold: number): number {
  const found = cells.map(number).find((value) => value !== undefined);
  return found === undefined ? 1 : relativeError(found, gold);
}

function number(cell: unknown): number | undefined {
  if (typeof cell === 'bigint') return Number(cell);
  const value = typeof cell === 'string' && cell.trim() !== '' ? Number(cell) : cell;
  return typeof value === 'number' && !Number.isNaN(value) ? value : undefined;
}
