import { estimateTokens } from '../../cost/tokens.js';

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
  let low = 1;
  let high = text.length;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (estimateTokens(text.slice(0, middle)) <= tokens) low = middle;
    else high = middle - 1;
  }
  if (low >= text.length) return text.length;
  const space = text.slice(0, low).search(/\s\S*$/u);
  if (space > low * (1 - searched)) return space + 1;
  // never between the halves of a surrogate pair
  const paired = (text.charCodeAt(low - 1) & 0xfc00) === 0xd800;
  if (!paired) return low;
  return low === 1 ? 2 : low - 1;
}
