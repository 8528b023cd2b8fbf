/** Which condition on a relation of a join is decided next, each over what the others leave of its relation. */

/** A condition that is still to be decided. */
export interface OpenCondition {
  readonly relation: string;
  /** Distinct prompts on what is left now, counted. */
  readonly prompts: number;
  /** Share of the rows that are believed to pass, in [0, 1]. */
  readonly passes: number;
}

/** Up to so many conditions every order is tried: 5,040 orders. */
const mostExact = 7;

/**
 * Index of the condition that the cheapest order of all begins with; above 7 conditions, of the one that spares the others
 * most for its own prompts. -1 for none.
 */
export function nextCondition(open: readonly OpenCondition[]): number {
  const all = open.map((_, at) => at);
  if (open.length > mostExact) return leastOf(all, (at) => firstTwo(open, at));
  return leastOf(all, (at) =>
    open[at] === undefined
      ? Infinity
      : costFrom(
          open,
          [at],
          all.filter((other) => other !== at),
        ),
  );
}

/** Expected prompts of the cheapest order that begins with `order`. */
function costFrom(open: readonly OpenCondition[], order: readonly number[], rest: readonly number[]): number {
  if (rest.length === 0) return costOf(open, order);
  return Math.min(
    ...rest.map((at) =>
      costFrom(
        open,
        [...order, at],
        rest.filter((other) => other !== at),
      ),
    ),
  );
}

function costOf(open: readonly OpenCondition[], order: readonly number[]): number {
  return order.reduce((sum, at, place) => sum + promptsAfter(open, at, order.slice(0, place)), 0);
}

/** Prompts of a condition behind others, taken as independent. */
function promptsAfter(open: readonly OpenCondition[], at: number, before: readonly number[]): number {
  const own = open[at];
  return before.reduce(
    (left, other) => left * (own === undefined ? 1 : shareLeft(own, open[other])),
    own?.prompts ?? 0,
  );
}

/**
 * What a condition leaves of another's prompts. On one relation, its own share. On two, a prompt is left when any of its
 * partners passes; it has as many as there are more of them, at least one.
 */
function shareLeft(own: OpenCondition, other: OpenCondition | undefined): number {
  if (other === undefined) return 1;
  if (other.relation === own.relation) return other.passes;
  const partners = Math.max(1, other.prompts / Math.max(1, own.prompts));
  return 1 - (1 - other.passes) ** partners;
}

function firstTwo(open: readonly OpenCondition[], at: number): number {
  return open.reduce(
    (sum, _, other) => sum + (other === at ? 0 : promptsAfter(open, other, [at])),
    open[at]?.prompts ?? 0,
  );
}

function leastOf(candidates: readonly number[], cost: (at: number) => number): number {
  let best = { at: -1, cost: Infinity };
  for (const at of candidates) {
    const found = cost(at);
    if (best.at < 0 || found < best.cost) best = { at, cost: found };
  }
  return best.at;
}
