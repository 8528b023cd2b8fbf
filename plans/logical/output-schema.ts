import { FermataError } from '../protocol/errors.js';
import { isReservedName } from '../relation/names.js';
import { type Attribute, clashes } from '../relation/schema.js';
import { normalizeType } from '../relation/types.js';

/** Most columns that can be asked for; a schema stands in every prompt to a planner. */
const mostColumns = 100;

/** A column as it was asked for: its type may be left out where the column is there already. */
export interface WantedColumn {
  readonly name: string;
  readonly type?: string;
}

/**
 * Reads `name type, …`; a name with other signs stands in double quotes.
 *
 * @example parseOutputSchema('brand VARCHAR, "unit price" DECIMAL(10, 2), id')
 * @throws FermataError `BadArgument` for what cannot be read, a type that is none, or a name given twice
 */
export function parseOutputSchema(text: string): readonly WantedColumn[] {
  const parts = splitColumns(text);
  if (parts.length > mostColumns) throw bad(`it has ${parts.length} columns, and at most ${mostColumns} are taken`);
  const found: Attribute[] = [];
  return parts.map((part) => {
    const match = /^\s*(?:"((?:[^"]|"")+)"|([\p{L}_][\p{L}\p{N}_]*))(?:\s+(.+?))?\s*$/su.exec(part);
    if (match === null) throw bad(`${JSON.stringify(part.trim())} is no column`);
    const name = match[1]?.replaceAll('""', '"') ?? match[2] ?? '';
    if (isReservedName(name)) throw bad(`the name ${name} is kept for Fermata itself`);
    if (clashes(found, name)) throw bad(`the column ${name} is named twice`);
    const written = match[3];
    const type = written === undefined ? undefined : normalizeType(written);
    if (written !== undefined && type === undefined) throw bad(`${JSON.stringify(written)} is no type`);
    found.push({ name, type: type ?? '' });
    return { name, ...(type === undefined ? {} : { type }) };
  });
}

function bad(problem: string): FermataError {
  return new FermataError('BadArgument', `The output cannot be read: ${problem}.`, {
    hint: 'Write name type, …, as in: brand VARCHAR, price DOUBLE. Types are those of DuckDB.',
  });
}

/** At commas outside of brackets and quotes. */
function splitColumns(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let quoted = false;
  let from = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (char === '"') quoted = !quoted;
    else if (!quoted && '([{'.includes(char)) depth += 1;
    else if (!quoted && ')]}'.includes(char)) depth -= 1;
    if (char !== ',' || depth !== 0 || quoted) continue;
    parts.push(text.slice(from, at));
    from = at + 1;
  }
  return [...parts, text.slice(from)];
}
