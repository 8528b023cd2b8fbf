import { locating } from './locate.js';
import type { PlannedBlock } from './plan.js';
import type { DescribeSql, SqlParser } from './ports.js';
import { refuseReservedNames } from './source.js';
import { baseTable, columnRef, orderBy, selectNode, type SqlNode } from './tree.js';

interface PlainRequest {
  readonly query: SqlNode;
  readonly parser: SqlParser;
  readonly describe: DescribeSql;
}

const alias = 'result';

/** A query without semantic calls is its own source, whatever its shape; the rest passes its rows on in their order. */
export async function planPlainQuery({ query, parser, describe }: PlainRequest): Promise<PlannedBlock> {
  const sql = await parser.deserialize(query);
  const shown = await locating(query, () => describe(sql));
  const source = `SELECT * FROM (${sql}) AS ${alias}`;
  const stored = await locating(query, () => describe(source));
  refuseReservedNames(stored, query);
  // columns of equal name are numbered apart in the source and get their name back here
  const columns = stored.map(({ name }, i) => columnRef([alias, name], name === shown[i]?.name ? '' : shown[i]?.name));
  const inOrder = [{ type: 'ORDER_MODIFIER', orders: [orderBy(columnRef([alias, '__row']))] }];
  const rows = { select: [columnRef(['__row'])], from: baseTable('__source', alias), modifiers: inOrder };
  const final = { select: columns, from: baseTable('__rows', alias), modifiers: inOrder };
  const block = {
    source: { alias, sql: source },
    rows: { sql: await parser.deserialize(selectNode(rows)) },
    calls: [],
    final: { sql: await parser.deserialize(selectNode(final)) },
  };
  return { block, columns: stored };
}
