/** Plans for the placement bench: chains of joins as in PLOP §1, of any length and number of filters. */
import type { PlacementTree, PlanNode } from '../../plans/placement/tree.js';

export interface ChainShape {
  readonly relations: number;
  readonly filters: number;
  /** Rows of each relation. */
  readonly rows: number;
  /** Rows of a join for each row of its left side. */
  readonly fanout: number;
}

/** A left-deep chain of equi-joins; filter k reads relation k modulo their number. */
export function chain({ relations, filters, rows, fanout }: ChainShape): PlacementTree {
  const scan = (at: number): PlanNode => ({
    kind: 'relation',
    id: `r${at}`,
    relation: `r${at}`,
    rows,
    columns: [`r${at}.key`, `r${at}.next`, `r${at}.text`],
  });
  let root = scan(0);
  let size = rows;
  for (let at = 1; at < relations; at++) {
    size *= fanout;
    const reads = [`r${at - 1}.next`, `r${at}.key`];
    root = { kind: 'join', join: 'inner', id: `j${at}`, left: root, right: scan(at), reads, rows: size };
  }
  for (let at = 0; at < filters; at++) {
    const reads = [`r${at % relations}.text`];
    root = {
      kind: 'semantic-filter',
      id: `f${at}`,
      input: root,
      condition: { kind: 'call', call: { id: `f${at}`, reads } },
    };
  }
  return { root, output: ['r0.text'] };
}
