/** Kinds of tokens; together they cover every character of the text, in order. */
export type TokenKind =
  | 'space'
  | 'comment'
  | 'word'
  | 'quoted'
  | 'string'
  | 'escaped'
  | 'dollar'
  | 'number'
  | 'parameter'
  | 'punct';

export interface Token {
  readonly kind: TokenKind;
  /** UTF-16 offsets into the text, end exclusive. */
  readonly start: number;
  readonly end: number;
}

const wordStart = /[A-Za-z_\u0080-\uffff]/;
const word = /[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*/y;
const space = /\s+/y;
const number = /(?:\d[\w.]*|\.\d\w*)/y;
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y;
const parameter = /(?:\$\w+|\?\d*)/y;
const operator = /(?:=>|:=|->>|->|::|\|\||<=|>=|<>|!=|==)/y;

/**
 * Cuts SQL into tokens as DuckDB does, as far as work on tokens needs it. Never throws: an unclosed string, comment or
 * identifier is one token up to the end of the text, and DuckDB's parser reports it.
 */
export function tokenize(sql: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sql.length) {
    const [kind, end] = tokenAt(sql, at);
    tokens.push({ kind, start: at, end });
    at = end;
  }
  return tokens;
}

function tokenAt(sql: string, at: number): [TokenKind, number] {
  const char = sql.charAt(at);
  const next = sql.charAt(at + 1);
  if (/\s/.test(char)) return ['space', match(space, sql, at)];
  if (char === '-' && next === '-') return ['comment', endOfLine(sql, at)];
  if (char === '/' && next === '*') return ['comment', endOfBlock(sql, at)];
  if (char === "'") return ['string', endOfQuoted(sql, at, "'")];
  if ((char === 'e' || char === 'E') && next === "'") return ['escaped', endOfEscaped(sql, at + 1)];
  if (char === '"') return ['quoted', endOfQuoted(sql, at, '"')];
  if (char === '$') return dollarAt(sql, at);
  if (wordStart.test(char)) return ['word', match(word, sql, at)];
  if (/\d/.test(char) || (char === '.' && /\d/.test(next))) return ['number', match(number, sql, at)];
  if (char === '?') return ['parameter', match(parameter, sql, at)];
  return ['punct', match(operator, sql, at)];
}

/** End of the match of a sticky pattern at `at`; one character when it does not match. */
function match(pattern: RegExp, sql: string, at: number): number {
  pattern.lastIndex = at;
  return pattern.test(sql) ? pattern.lastIndex : at + 1;
}

function endOfLine(sql: string, at: number): number {
  const end = sql.slice(at).search(/[\r\n]/);
  return end < 0 ? sql.length : at + end;
}

/** Block comments nest. */
function endOfBlock(sql: string, at: number): number {
  let depth = 0;
  for (let i = at; i < sql.length; i++) {
    const pair = sql.slice(i, i + 2);
    if (pair !== '/*' && pair !== '*/') continue;
    depth += pair === '/*' ? 1 : -1;
    i++;
    if (depth === 0) return i + 1;
  }
  return sql.length;
}

function endOfQuoted(sql: string, at: number, quote: string): number {
  for (let i = at + 1; i < sql.length; i++) {
    if (sql.charAt(i) !== quote) continue;
    if (sql.charAt(i + 1) !== quote) return i + 1;
    i++;
  }
  return sql.length;
}

function endOfEscaped(sql: string, quoteAt: number): number {
  for (let i = quoteAt + 1; i < sql.length; i++) {
    if (sql.charAt(i) === '\\') i++;
    else if (sql.charAt(i) === "'") {
      if (sql.charAt(i + 1) !== "'") return i + 1;
      i++;
    }
  }
  return sql.length;
}

function dollarAt(sql: string, at: number): [TokenKind, number] {
  dollarTag.lastIndex = at;
  if (!dollarTag.test(sql)) {
    const end = match(parameter, sql, at);
    return [end > at + 1 ? 'parameter' : 'punct', end];
  }
  const tag = sql.slice(at, dollarTag.lastIndex);
  const close = sql.indexOf(tag, dollarTag.lastIndex);
  return ['dollar', close < 0 ? sql.length : close + tag.length];
}

/**
 * Where the character `index` of a string's value stands in the text. Exact for `'…'` and `$$…$$`; for `E'…'` the start
 * of the string, since an escape may be longer than what it stands for.
 */
export function offsetInString(sql: string, token: Token, index: number): number {
  if (token.kind === 'escaped') return token.start;
  if (token.kind === 'dollar') return sql.indexOf('$', token.start + 1) + 1 + index;
  let at = token.start + 1;
  for (let i = 0; i < index && at < token.end; i++) at += sql.startsWith("''", at) ? 2 : 1;
  return at;
}
