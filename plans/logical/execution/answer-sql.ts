import type { Apply, Output } from '../../algebra/operator.js';
import { pathColumn } from '../../algebra/sql.js';
import { schemaOf } from '../../algebra/walk.js';
import { answerColumn, quoteName, reserved } from '../../relation/names.js';
import { type AttributeType, classOf } from '../../relation/types.js';
import { isInAnswer } from '../../tasks/general.js';

/** Columns within the query below; no table of a user's may have names like these. */
const inner = { item: `${reserved.answerPrefix}item`, at: `${reserved.answerPrefix}at` } as const;

/**
 * SQL over `__rows` of what a task gives, where `__a_<id>` holds its answers: the input's attributes, the outputs, and the path.
 * An answer of many rows is unnested, its rows numbered from 1 at the end of the path; a tuple without an answer has none. It is
 * what `generalRows` says, in SQL.
 */
export function appliedSql(apply: Apply, id: string): string {
  const kept = schemaOf(apply.input).map(({ name }) => quoteName(name));
  const answers = quoteName(answerColumn(id));
  if (apply.cardinality !== 'many') {
    const made = apply.outputs.map((output) => `${valueSql(apply, output, answers)} AS ${quoteName(output.name)}`);
    const some = apply.cardinality === 'zero-or-one' ? ` WHERE ${answers} IS NOT NULL` : '';
    return `SELECT ${[...kept, ...made, pathColumn].join(', ')} FROM ${reserved.rows}${some}`;
  }
  const made = apply.outputs.map((output) => `${valueSql(apply, output, inner.item)} AS ${quoteName(output.name)}`);
  const path = `${pathColumn} || '/' || ${inner.at} AS ${pathColumn}`;
  return (
    `SELECT ${[...kept, ...made, path].join(', ')} FROM (SELECT *, unnest(${answers}) AS ${inner.item}, ` +
    `generate_subscripts(${answers}, 1) AS ${inner.at} FROM ${reserved.rows})`
  );
}

/** The DuckDB type that holds values of an attribute. */
export function storedType(type: AttributeType): string {
  const list = /^(.*)(\[\d*\])$/s.exec(type);
  if (list !== null) return `${storedType(list[1] ?? '')}${list[2] ?? ''}`;
  const kind = classOf(type);
  if (kind === 'vector') return 'FLOAT[]';
  return type === 'Text' || kind === 'image' || kind === 'audio' ? 'VARCHAR' : type;
}

function valueSql(apply: Apply, output: Output, answer: string): string {
  const type = storedType(output.type);
  if (!isInAnswer(apply, output)) return `CAST(NULL AS ${type})`;
  const alone = apply.outputs.length === 1 && apply.cardinality !== 'many';
  const value = alone ? answer : `(${answer}).${quoteName(output.from)}`;
  if (output.from === 'Answer' && type === 'VARCHAR') return verdictSql(value);
  const size = /\[(\d+)\]$/.exec(type)?.[1];
  // a box of three numbers is none
  if (size !== undefined) return `CASE WHEN len(${value}) = ${size} THEN CAST(${value} AS ${type}) END`;
  return `CAST(${value} AS ${type})`;
}

/** Plans compare verdicts with yes and no; models write them in many ways. */
function verdictSql(value: string): string {
  const bare = `lower(trim(${value}, ' .!'))`;
  return `CASE WHEN ${bare} IN ('yes', 'no') THEN ${bare} ELSE ${value} END`;
}
