import { estimateTokens, lengthWithin } from '../../cost/tokens.js';

/**
 * Cuts a text into pieces of at most `tokens`, at white space where there is some. A text that fits is one piece; no piece
 * is empty, but for the empty text itself; together they are the text.
 */
export function splitText(text: string, tokens: number): readonly string[] {
  if (estimateTokens(text) <= tokens) return [text];
  const pieces: string[] = [];
  let rest = text;
  while (rest !== '') {
    const end = fitting(rest, tokens);
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end);
  }
  return pieces;
}

/** The share of a cut piece in which white space is looked for, from its end. */
const searched = 0.2;

/** Length of the longest beginning that fits, at least one code point, moved back to white space. */
function fitting(text: string, tokens: number): number {
  const most = Math.max(lengthWithin(text, tokens), (text.codePointAt(0) ?? 0) > 0xffff ? 2 : 1);
  if (most >= text.length) return text.length;
  const tail = text.slice(Math.ceil(most * (1 - searched)), most);
  const word = /\S*$/u.exec(tail)?.[0] ?? '';
  return word.length < tail.length ? most - word.length : most;
}
