/** Names in DuckDB SQL: quoting, and the columns that Fermata keeps for itself. */

/** A name as DuckDB reads it back: `we"ird` becomes `"we""ird"`. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text literal. DuckDB has no backslash escapes, so only quotes are doubled. */
export function quoteText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Columns and relations that the executor adds. Users' data may not have columns of these names. */
export const reserved = {
  source: '__source',
  rows: '__rows',
  row: '__row',
  position: '__pos',
  answerPrefix: '__a_',
} as const;

const reservedName = /^__(row|pos|in|a_)/i;

/** Whether a column of this name would clash with one of ours; DuckDB ignores case. */
export function isReservedName(name: string): boolean {
  return reservedName.test(name);
}

/** Name of the column that the answers of a call become. */
export function answerColumn(callId: string): string {
  return `${reserved.answerPrefix}${callId}`;
}
