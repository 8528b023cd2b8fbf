/** Where in a query with joins semantic conditions are decided. */

/**
 * `pullup`: semantic conditions are decided behind the join, where the fewest distinct prompts are left (PLOP, Algorithm 1);
 * but on a relation that no plain condition ties to the others before it, since nothing behind a cross product is fewer.
 * `pushdown`: on their relation, before any join. `cost`: wherever calls and relational work together are least (PLOP,
 * Algorithm 2), with sizes counted in DuckDB. `adaptive`: on their relation, of which only rows are asked about that all the
 * rest of the join still keeps; which condition is next is decided while the query runs, by what is left and what has passed.
 */
export const placements = ['pullup', 'pushdown', 'cost', 'adaptive'] as const;
export type Placement = (typeof placements)[number];
