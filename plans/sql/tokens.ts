/** Work on SQL text that must happen before DuckDB's parser sees it. */
import { type Token, tokenize } from './lexer.js';

/**
 * BigQuery's `AI.IF(` never parses in DuckDB, where IF is a keyword: it becomes `AI_IF(` outside strings, comments and
 * quoted identifiers. The text keeps its length, so every offset into the result is one into the user's text.
 */
export function renameReserved(sql: string): string {
  const tokens = tokenize(sql).filter(isCode);
  let renamed = sql;
  tokens.forEach((token, i) => {
    const [dot, name, open] = tokens.slice(i + 1, i + 4);
    if (dot === undefined || name === undefined || open === undefined) return;
    const call = [token, dot, name, open].map((part) => textOf(sql, part).toLowerCase()).join(' ');
    const before = tokens[i - 1];
    if (call !== 'ai . if (' || (before !== undefined && textOf(sql, before) === '.')) return;
    const spelled = `${textOf(sql, token)}_${textOf(sql, name)}`.padEnd(name.end - token.start);
    renamed = renamed.slice(0, token.start) + spelled + renamed.slice(name.end);
  });
  return renamed;
}

/** Functions that read one file; the client registers that file as a table instead. */
export const fileFunctions: ReadonlySet<string> = new Set([
  'read_csv',
  'read_csv_auto',
  'read_json',
  'read_json_auto',
  'read_ndjson',
  'read_ndjson_auto',
  'read_parquet',
  'parquet_scan',
]);

export interface FileTable {
  /** The file name as written: the table is registered under exactly this. */
  readonly name: string;
  /** Offset of its string in the text. */
  readonly position: number;
}

/** Functions whose own syntax has a FROM between the parentheses. */
const functionsWithFrom = new Set(['extract', 'trim', 'substring', 'overlay']);
/** Words that end a FROM clause on their own nesting level. */
const clauseWords = new Set(
  'select where group having qualify window order limit offset union intersect except'.split(' '),
);

/**
 * The files that a query reads: `FROM 'x.csv'`, `JOIN "dir/x.parquet"`, `FROM read_csv('x')`, and the further items of a
 * comma list. Each once, in order. A double-quoted name counts only when it looks like a path.
 */
export function fileTables(sql: string): FileTable[] {
  const tokens = tokenize(sql).filter(isCode);
  const found = new Map<string, FileTable>();
  /** One entry for each open parenthesis: which function it belongs to, and whether it is inside a FROM list. */
  const levels: { readonly call: string; inFrom: boolean }[] = [{ call: '', inFrom: false }];
  tokens.forEach((token, i) => {
    const level = levels[levels.length - 1] ?? { call: '', inFrom: false };
    const text = textOf(sql, token).toLowerCase();
    const before = tokens[i - 1];
    if (text === '(') {
      levels.push({ call: before?.kind === 'word' ? textOf(sql, before).toLowerCase() : '', inFrom: false });
    } else if (text === ')') {
      if (levels.length > 1) levels.pop();
    } else if (token.kind === 'word' && clauseWords.has(text)) {
      level.inFrom = false;
    }
    const opens = opensRelation(sql, token, before, level);
    if (token.kind === 'word' && text === 'from' && opens) level.inFrom = true;
    if (!opens) return;
    const file = fileAt(sql, tokens.slice(i + 1, i + 4));
    if (file !== undefined && !found.has(file.name)) found.set(file.name, file);
  });
  return [...found.values()];
}

function opensRelation(
  sql: string,
  token: Token,
  before: Token | undefined,
  level: { readonly call: string; readonly inFrom: boolean },
): boolean {
  const text = textOf(sql, token).toLowerCase();
  if (text === ',') return level.inFrom;
  if (token.kind !== 'word') return false;
  if (text === 'join') return true;
  if (text !== 'from') return false;
  const afterDistinct = before !== undefined && textOf(sql, before).toLowerCase() === 'distinct';
  return !afterDistinct && !functionsWithFrom.has(level.call);
}

function fileAt(sql: string, tokens: readonly Token[]): FileTable | undefined {
  const [first, second, third] = tokens;
  if (first === undefined) return undefined;
  if (first.kind === 'string') return { name: unquote(sql, first), position: first.start };
  if (first.kind === 'quoted') {
    const name = unquote(sql, first);
    const path = /[./\\]/.test(name) && (second === undefined || textOf(sql, second) !== '.');
    return path ? { name, position: first.start } : undefined;
  }
  if (first.kind !== 'word' || !readsNamed(textOf(sql, first).toLowerCase())) return undefined;
  if (second === undefined || textOf(sql, second) !== '(' || third?.kind !== 'string') return undefined;
  return { name: unquote(sql, third), position: third.start };
}

/** AI_SEARCH and AI_DEDUP name a table, as FROM does. */
function readsNamed(call: string): boolean {
  return call === 'ai_search' || call === 'ai_dedup' || fileFunctions.has(call);
}

function isCode(token: Token): boolean {
  return token.kind !== 'space' && token.kind !== 'comment';
}

function textOf(sql: string, token: Token): string {
  return sql.slice(token.start, token.end);
}

/** The value of a closed `'…'` or `"…"` token. */
function unquote(sql: string, token: Token): string {
  const quote = sql.charAt(token.start);
  return sql.slice(token.start + 1, token.end - 1).replaceAll(quote + quote, quote);
}
