/** Pieces of SQL that values can be put into without becoming code. */
import { FermataError } from '../../plans/protocol/errors.js';
import { quoteName, quoteText } from '../../plans/relation/names.js';

/** A value that SQL has a literal for. A date stands for its instant, in UTC. */
export type SqlLiteral =
  | string
  | number
  | bigint
  | boolean
  | Date
  | null
  | readonly SqlLiteral[]
  | { readonly [name: string]: SqlLiteral };

/** SQL as text, made by {@link sql} or {@link column}. */
export class SqlFragment {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * An SQL expression; what is put in becomes a literal, or stays what it is when it is a fragment.
 *
 * @throws FermataError `BadArgument` for a value without a literal: NaN, `undefined`, text that is no Unicode.
 * @example
 * reviews.where(sql`stars < ${limit} AND city = ${city} AND ${column('opened at')} > ${new Date(0)}`);
 */
export function sql(texts: TemplateStringsArray, ...values: readonly (SqlLiteral | SqlFragment)[]): SqlFragment {
  return new SqlFragment(texts.reduce((text, next, at) => `${text}${sqlOf(values[at - 1])}${next}`));
}

/** A column by name, whatever characters are in it; `column('reviews', 'id')` says of which relation. */
export function column(...names: readonly [string, ...string[]]): SqlFragment {
  return new SqlFragment(names.map((name) => quoteName(unicode(name))).join('.'));
}

/** What a prompt says; `{column}` stands for a value of the row. Made by {@link prompt}. */
export class PromptText {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/**
 * A prompt; what is put in is text, also where it has braces. Columns stand in braces, as in SQL.
 *
 * @example
 * reviews.semFilter(prompt`Is {review} about ${topic}?`);
 */
export function prompt(
  texts: TemplateStringsArray,
  ...values: readonly (string | number | bigint | boolean)[]
): PromptText {
  const escaped = values.map((value) => String(value).replace(/[{}]/g, (brace) => brace + brace));
  return new PromptText(texts.reduce((text, next, at) => `${text}${escaped[at - 1] ?? ''}${next}`));
}

/** The literal of a value. Throws `BadArgument`. */
export function literalSql(value: SqlLiteral | undefined): string {
  if (typeof value === 'string') return quoteText(unicode(value));
  if (typeof value === 'boolean') return value ? 'TRUE' : 'FALSE';
  if (typeof value === 'bigint' || (typeof value === 'number' && Number.isFinite(value))) return signed(String(value));
  if (value === null) return 'NULL';
  if (typeof value === 'object') return compound(value);
  throw new FermataError('BadArgument', `${typeof value === 'number' ? value : typeof value} has no literal in SQL`, {
    hint: 'null is NULL',
  });
}

function sqlOf(value: SqlLiteral | SqlFragment | undefined): string {
  return value instanceof SqlFragment ? value.text : literalSql(value);
}

/** Two signs in a row would begin a comment. */
function signed(text: string): string {
  return text.startsWith('-') ? `(${text})` : text;
}

function compound(value: Exclude<SqlLiteral, string | number | bigint | boolean | null>): string {
  if (value instanceof Date) {
    if (Number.isNaN(value.getTime())) throw new FermataError('BadArgument', 'an invalid date has no literal in SQL');
    return `TIMESTAMP ${quoteText(value.toISOString().replace('T', ' ').replace('Z', ''))}`;
  }
  if (Array.isArray(value)) return `[${(value as readonly SqlLiteral[]).map(literalSql).join(', ')}]`;
  const fields = Object.entries(value as Readonly<Record<string, SqlLiteral>>);
  if (fields.length === 0) throw new FermataError('BadArgument', 'a struct without fields has no literal in SQL');
  return `{${fields.map(([name, item]) => `${quoteText(unicode(name))}: ${literalSql(item)}`).join(', ')}}`;
}

/** Throws `BadArgument` for text that DuckDB does not take: halves of surrogate pairs, and the character 0. */
function unicode(text: string): string {
  if (/\p{Cs}|\0/u.test(text)) {
    throw new FermataError(
      'BadArgument',
      'a text with half a surrogate pair, or with the character 0, has no literal in SQL',
    );
  }
  return text;
}
