/** Where in a query with joins semantic conditions are decided. */

/**
 * `pullup`: semantic conditions are decided behind the join, where the fewest distinct prompts are left (PLOP, Algorithm 1);
 * but on a relation that no plain condition ties to the others before it, since nothing behind a cross product is fewer.
 * `pushdown`: on their relation, before any join. `cost`: wherever calls and relational work together are least (PLOP,
 * Algorithm 2), with sizes counted in DuckDB.
 */
export const placements = ['pullup', 'pushdown', 'cost'] as const;
export type Placement = (typeof placements)[number];
