/** Cutting a long text where it can be cut best: between paragraphs, else sentences, else words, else anywhere. */
import { estimateTokens } from '../../cost/tokens.js';

/** A part of a text; `text` and `gap` of all parts, one after the other, are the text again. */
export interface Part {
  readonly text: string;
  /** White space between this part and the next. */
  readonly gap: string;
}

/** Each leaves separators with what stands before them; the next is for what is still too long. */
const borders: readonly RegExp[] = [
  /(?<=\n[^\S\n]*\n\s*)(?=\S)/u,
  /(?<=[.!?…]["'”’»)\]]*\s+)(?=\S)|(?<=[。！？][”’」』]*)(?=[^”’」』])|(?<=\n\s*)(?=\S)/u,
  /(?<=\s)(?=\S)/u,
];
/** Code points of a run without any border. */
const runLength = 16;

/**
 * Cuts a text into parts of at most `most` tokens, as estimated; a part is never empty or only white space, unless the
 * text is.
 *
 * @example cutText('One.\n\nTwo.', 2); // [{ text: 'One.', gap: '\n\n' }, { text: 'Two.', gap: '' }]
 */
export function cutText(text: string, most: number): readonly Part[] {
  const parts: string[] = [];
  let tokens = 0;
  for (const segment of segments(text, most)) {
    const more = estimateTokens(segment);
    const last = parts.at(-1);
    if (last !== undefined && (tokens + more <= most || segment.trim() === '' || last.trim() === '')) {
      parts[parts.length - 1] = last + segment;
      tokens += more;
    } else {
      parts.push(segment);
      tokens = more;
    }
  }
  return parts.map((part) => {
    const bare = part.trimEnd();
    return { text: bare, gap: part.slice(bare.length) };
  });
}

function segments(text: string, most: number, level = 0): readonly string[] {
  if (text === '' || estimateTokens(text) <= most) return [text];
  const border = borders[level];
  if (border === undefined) return runs(text);
  return text.split(border).flatMap((segment) => segments(segment, most, level + 1));
}

function runs(text: string): readonly string[] {
  const points = Array.from(text);
  const cut: string[] = [];
  for (let at = 0; at < points.length; at += runLength) cut.push(points.slice(at, at + runLength).join(''));
  return cut;
}

/** The first sentences of a text that have at most `most` tokens together; of a longer sentence, its first words. */
export function headOf(text: string, most: number): string {
  return within(segments(text, most, 1), most)
    .join('')
    .trim();
}

/** The last sentences likewise. */
export function tailOf(text: string, most: number): string {
  return within(segments(text, most, 1).toReversed(), most)
    .toReversed()
    .join('')
    .trim();
}

function within(all: readonly string[], most: number): readonly string[] {
  let tokens = 0;
  const end = all.findIndex((segment) => (tokens += estimateTokens(segment)) > most);
  return end < 0 ? all : all.slice(0, end);
}
