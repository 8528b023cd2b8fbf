import { basename, extname } from 'node:path';
import { FermataError } from '../../plans/protocol/errors.js';
import type { Fermata, TableSource } from '../api.js';
import { tableBlock } from './block.js';
import { Relation } from './relation.js';

/** A relation over a file; without a source the name is its path. Throws `BadArgument` for an empty name. */
export function openTable<Row extends object>(
  runner: Pick<Fermata, 'sql' | 'estimate'>,
  name: string,
  source: TableSource = name,
): Relation<Row> {
  const own = source === name ? nameOf(name) : name;
  if (own.trim() === '') throw new FermataError('BadArgument', 'a table needs a name');
  return new Relation<Row>(runner, tableBlock(own, source));
}

/** `data/reviews.csv` is `reviews`, `shop.duckdb#orders` is `orders`. */
function nameOf(path: string): string {
  const inner = path.lastIndexOf('#');
  return inner < 0 ? basename(path, extname(path)) : path.slice(inner + 1);
}
