/** How wide text is on a terminal, and how to cut it to a width. */

let loaded: Intl.Segmenter | undefined;

/** Made when it is used: making one takes 12 ms. */
function segmenter(): Intl.Segmenter {
  return (loaded ??= new Intl.Segmenter('en', { granularity: 'grapheme' }));
}

/** First and last code points that terminals draw over two columns (Unicode East Asian Width W and F). */
const wideRanges: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1b000, 0x1b2ff],
  [0x20000, 0x3fffd],
];

const emoji = /\p{Emoji_Presentation}|\uFE0F/u;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;
const printableAscii = /^[\x20-\x7e]*$/;

function graphemeWidth(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  if (emoji.test(grapheme)) return 2;
  const point = grapheme.codePointAt(0) ?? 0;
  return wideRanges.some(([low, high]) => point >= low && point <= high) ? 2 : 1;
}

/** Columns that a text without control characters takes. */
export function textWidth(text: string): number {
  if (printableAscii.test(text)) return text.length;
  let width = 0;
  for (const { segment } of segmenter().segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The text, cut to at most `width` columns; a cut text ends in `…`. Never splits a grapheme. */
export function fit(text: string, width: number): string {
  // A text of n UTF-16 units has at most 2n columns; segmenting a huge cell whole would be slow.
  const head = text.length > width * 16 + 64 ? text.slice(0, width * 16 + 64) : text;
  if (head === text && textWidth(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let used = 0;
  for (const { segment } of segmenter().segment(head)) {
    const next = graphemeWidth(segment);
    if (used + next > width - 1) break;
    kept += segment;
    used += next;
  }
  return `${kept}…`;
}

/** The text with blanks up to `width` columns. */
export function pad(text: string, width: number, align: 'left' | 'right'): string {
  const blanks = ' '.repeat(Math.max(0, width - textWidth(text)));
  return align === 'left' ? text + blanks : blanks + text;
}

const shown: Readonly<Record<string, string>> = { '\n': '↵', '\t': '→' };

/** One line of text that cannot move the cursor: data may hold newlines and terminal escapes. */
export function oneLine(text: string): string {
  return text.replace(/\r\n/g, '↵').replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return shown[character] ?? (code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u${code.toString(16)}`);
  });
}
