import type { SemanticCall } from '../operators/call.js';
import { quoteName, reserved } from '../relation/names.js';
import type { QueryBlock } from './plan.js';

/**
 * One number: the distinct inputs without NULLs that a call has over all rows of its block, before any answer. What the
 * executor would write for it, counted in one pass and kept nowhere; for a call whose inputs read no other call's answer.
 */
export function distinctPromptsSql({ source, rows }: QueryBlock, { inputs }: SemanticCall): string {
  const row = quoteName(reserved.row);
  const names = inputs.map((_, at) => `in${String(at)}`);
  const texts = inputs.map(({ sql }, at) => `(${sql}\n)::VARCHAR AS ${names[at] ?? ''}`);
  const present = names.map((name) => `${name} IS NOT NULL`);
  return (
    `WITH ${reserved.source} AS MATERIALIZED (SELECT row_number() OVER () AS ${row}, * FROM (${source.sql}\n)), ` +
    `__chosen AS (${rows.sql}\n), ` +
    `__left AS (SELECT * FROM ${reserved.source} WHERE ${row} IN (SELECT ${row} FROM __chosen)), ` +
    `__asked AS (SELECT ${texts.join(', ')} FROM __left AS ${quoteName(source.alias)}) ` +
    `SELECT count(*) FROM (SELECT DISTINCT ${names.join(', ')} FROM __asked WHERE ${present.join(' AND ')})`
  );
}
