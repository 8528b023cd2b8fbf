/** Conditions that mix semantic calls with plain SQL: an AND/OR/NOT tree with SQL's three-valued meaning. */

/** A column of the whole tree, unique in it, e.g. `reviews.text`. */
export type Column = string;

/** One rendered prompt a tuple: what a semantic operator asks. */
export interface SemanticCall {
  readonly id: string;
  /** The intent as the user wrote it; printed only. */
  readonly intent?: string;
  /**
   * Columns of the prompt, in the order of its arguments. A step that carries the call through a renaming projection
   * replaces them in place, so a prompt is rendered from these and not from the names that the user wrote.
   */
  readonly reads: readonly Column[];
  /** Share of the tuples for which the answer is TRUE, in [0, 1], when known; otherwise the model's default. */
  readonly selectivity?: number;
  /** Offsets in the query of the calls that it stands for: what a run counted is found by them. */
  readonly positions?: readonly number[];
  /** Price of one call; printed only. Absent: not known. */
  readonly usd?: number;
}

export type Condition =
  | { readonly kind: 'call'; readonly call: SemanticCall }
  | {
      readonly kind: 'plain';
      readonly text: string;
      readonly reads: readonly Column[];
      /** Share of the rows that pass, in [0, 1]; 0.2 (DuckDB's own guess) when absent. */
      readonly share?: number;
      /** Whether it may raise for a row, as CAST does: it then stays where it is. */
      readonly raises?: boolean;
      /** Whether it may give another value each time, as random() does: it then stays where it is. */
      readonly volatile?: boolean;
    }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] }
  | { readonly kind: 'not'; readonly part: Condition };

/** The share of a plain condition about which nothing is known: what DuckDB takes for one. */
export const plainShare = 0.2;

/** The parts directly below; leaves have none. */
export function partsOf(condition: Condition): readonly Condition[] {
  if (condition.kind === 'and' || condition.kind === 'or') return condition.parts;
  return condition.kind === 'not' ? [condition.part] : [];
}

function leaves(condition: Condition): readonly Condition[] {
  const parts = partsOf(condition);
  return parts.length === 0 ? [condition] : parts.flatMap(leaves);
}

/** Every call of the condition, each id once, from left to right. */
export function callsOf(condition: Condition): readonly SemanticCall[] {
  const calls = leaves(condition).flatMap((leaf) => (leaf.kind === 'call' ? [leaf.call] : []));
  return calls.filter((call, at) => calls.findIndex((other) => other.id === call.id) === at);
}

/** Every column that the condition reads, each once. */
export function readsOf(condition: Condition): readonly Column[] {
  const reads = leaves(condition).flatMap((leaf) => {
    if (leaf.kind === 'call') return leaf.call.reads;
    return leaf.kind === 'plain' ? leaf.reads : [];
  });
  return [...new Set(reads)];
}

/** Whether a leaf may raise or changes from one evaluation to the next. */
export function isUnmovable(condition: Condition): boolean {
  return leaves(condition).some((leaf) => leaf.kind === 'plain' && (leaf.raises === true || leaf.volatile === true));
}

/** The same condition over other columns. */
export function renameColumns(condition: Condition, rename: (column: Column) => Column): Condition {
  if (condition.kind === 'call') {
    return { kind: 'call', call: { ...condition.call, reads: condition.call.reads.map(rename) } };
  }
  if (condition.kind === 'plain') return { ...condition, reads: condition.reads.map(rename) };
  if (condition.kind === 'not') return { kind: 'not', part: renameColumns(condition.part, rename) };
  return { ...condition, parts: condition.parts.map((part) => renameColumns(part, rename)) };
}

/** Share of the rows for which it is TRUE, with parts taken as independent; `call` gives that of a call. */
export function shareOf(condition: Condition, call: (call: SemanticCall) => number): number {
  const parts = partsOf(condition).map((part) => shareOf(part, call));
  if (condition.kind === 'call') return call(condition.call);
  if (condition.kind === 'plain') return condition.share ?? plainShare;
  if (condition.kind === 'and') return parts.reduce((product, share) => product * share, 1);
  if (condition.kind === 'or') return 1 - parts.reduce((product, share) => product * (1 - share), 1);
  return 1 - (parts[0] ?? 0);
}

/** Written as SQL would be, for EXPLAIN. */
export function conditionText(condition: Condition): string {
  if (condition.kind === 'call') return condition.call.intent ?? condition.call.id;
  if (condition.kind === 'plain') return condition.text;
  if (condition.kind === 'not') return `NOT ${bracketed(condition.part)}`;
  return condition.parts.map(bracketed).join(condition.kind === 'and' ? ' AND ' : ' OR ');
}

function bracketed(condition: Condition): string {
  const text = conditionText(condition);
  return condition.kind === 'and' || condition.kind === 'or' ? `(${text})` : text;
}
