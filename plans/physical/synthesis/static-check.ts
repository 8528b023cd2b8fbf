/**
 * What is looked at before generated code is run for the first time. No boundary, which the sandbox is; it tells a drafter
 * early, and in words, what would fail or do nothing.
 */
import { sourceTokens } from './tokens.js';

/** Longest source, in UTF-8 bytes. */
const maxBytes = 8192;

/** Words that no function of one row needs, and what to do instead. */
const refused: Readonly<Record<string, string>> = {
  import: 'nothing can be imported; only the row and the built-in functions of JavaScript are there',
  require: 'nothing can be loaded; only the row and the built-in functions of JavaScript are there',
  async: 'the answer must be returned at once; there are no promises',
  await: 'the answer must be returned at once; there are no promises',
  Promise: 'the answer must be returned at once; there are no promises',
  with: 'name the object instead',
  eval: 'code cannot be made from text',
  Function: 'code cannot be made from text',
  Date: 'there is no Date; use parseDate, daysBetween, addDays and weekday',
  fetch: 'there is no network',
  process: 'there is no process',
  globalThis: 'there is nothing to share between rows',
};

/**
 * Everything that is wrong with the source of a function expression; empty when nothing is. Words count where they stand as
 * names, not in text, comments, regular expressions or as properties.
 *
 * @example staticProblems('(row) => ({ answer: /good/i.test(row.review) })') // []
 */
export function staticProblems(source: string): readonly string[] {
  const problems: string[] = [];
  const bytes = utf8Bytes(source);
  if (bytes > maxBytes) problems.push(`The source has ${bytes} bytes; at most ${maxBytes} are allowed.`);
  const tokens = sourceTokens(source.slice(0, maxBytes));
  if (tokens === undefined) return [...problems, 'A text, template, comment or regular expression is not closed.'];
  for (const word of new Set(tokens.filter(({ name }) => name).map(({ text }) => text))) {
    const why = Object.hasOwn(refused, word) ? refused[word] : undefined;
    if (why !== undefined) problems.push(`\`${word}\` is not allowed: ${why}.`);
  }
  if (bytes <= maxBytes) problems.push(...shapeProblems(tokens.map(({ text }) => text)));
  return problems;
}

const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' };

/** One function expression: it begins as one, and its brackets close with the last token and not before. */
function shapeProblems(tokens: readonly string[]): readonly string[] {
  const wanted = 'The source must be one function expression, e.g. `(row) => { … }`, and nothing beside it.';
  const open: string[] = [];
  for (const token of tokens) {
    const close = closing[token];
    if (close !== undefined) open.push(close);
    else if (/^[)\]}]$/.test(token) && open.pop() !== token) return ['A bracket is closed that is not open.'];
  }
  if (open.length > 0) return [`\`${open.at(-1) ?? ''}\` is missing.`];
  const begin = tokens[0] === 'function' ? functionBody(tokens) : arrowBody(tokens);
  if (begin === undefined) return [wanted];
  if (tokens[begin] !== '{')
    return tokens.slice(begin).some(isTop(tokens, begin)) || begin >= tokens.length ? [wanted] : [];
  return matching(tokens, begin) === tokens.length - 1 ? [] : [wanted];
}

/** Place of the body of `function name(…) {`, or undefined. */
function functionBody(tokens: readonly string[]): number | undefined {
  let at = 1;
  if (tokens[at] !== '(') at += 1;
  if (tokens[at] !== '(') return undefined;
  const end = matching(tokens, at);
  return tokens[end + 1] === '{' ? end + 1 : undefined;
}

/** Place of the body of `(…) =>` or `name =>`, or undefined. */
function arrowBody(tokens: readonly string[]): number | undefined {
  const end = tokens[0] === '(' ? matching(tokens, 0) : 0;
  return tokens[end + 1] === '=>' ? end + 2 : undefined;
}

function matching(tokens: readonly string[], from: number): number {
  let depth = 0;
  for (let at = from; at < tokens.length; at++) {
    const token = tokens[at] ?? '';
    if (closing[token] !== undefined) depth += 1;
    else if (/^[)\]}]$/.test(token)) depth -= 1;
    if (depth === 0) return at;
  }
  return tokens.length;
}

/** Whether a token ends an expression outside of all brackets: `,` or `;`. */
function isTop(tokens: readonly string[], from: number): (token: string, at: number) => boolean {
  return (token, at) => {
    if (token !== ',' && token !== ';') return false;
    const before = tokens.slice(from, from + at);
    return before.filter((t) => closing[t] !== undefined).length === before.filter((t) => /^[)\]}]$/.test(t)).length;
  };
}

function utf8Bytes(text: string): number {
  let bytes = 0;
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    bytes += code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
  }
  return bytes;
}
