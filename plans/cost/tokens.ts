/**
 * Tokens of a text without a tokenizer. Models differ (a digit is a token of its own in one and a third of one in
 * another), so this counts by script and stays within a factor of two of the byte-pair vocabularies it was measured on.
 */

interface Script {
  readonly pattern: RegExp;
  /** Tokens for each code point of it. */
  readonly perCodePoint: number;
}

/** First match wins; chosen so that cl100k, o200k and Qwen 2.5 each lie within a factor of two on prose of the script. */
const scripts: readonly Script[] = [
  { pattern: /\p{Extended_Pictographic}|\p{Regional_Indicator}|\p{Emoji_Modifier}/u, perCodePoint: 2.2 },
  { pattern: /[\u{20000}-\u{3ffff}]/u, perCodePoint: 3 },
  { pattern: /\p{Script=Han}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Script=Hangul}/u, perCodePoint: 1.1 },
  { pattern: /[a-z]/u, perCodePoint: 0.25 },
  { pattern: /[A-Z]/u, perCodePoint: 0.35 },
  { pattern: /\p{Nd}/u, perCodePoint: 0.75 },
  { pattern: /\p{Script=Latin}/u, perCodePoint: 0.7 },
  { pattern: /\p{Script=Cyrillic}|\p{Script=Arabic}/u, perCodePoint: 0.55 },
  { pattern: /[ ]/u, perCodePoint: 0.02 },
  { pattern: /\s/u, perCodePoint: 0.3 },
  { pattern: /[\p{P}\p{S}]/u, perCodePoint: 0.75 },
];

/** Every other script: Greek, Hebrew, Devanagari, Thai, Tamil … */
const other = 0.75;

/** The class of each code point below this is looked up once, when it is first met: most text is there. */
const tableSize = 0x250;
const table: (number | undefined)[] = Array.from({ length: tableSize });

function weigh(char: string): number {
  return scripts.find((script) => script.pattern.test(char))?.perCodePoint ?? other;
}

/**
 * About how many tokens a text has. Weighs each code point by its script: a small Latin letter 0.25, a digit 0.75, Han, Kana
 * and Hangul 1.1, an emoji 2.2. Zero for the empty text only.
 */
export function estimateTokens(text: string): number {
  let sum = 0;
  for (const char of text) sum += weightOf(char);
  return Math.ceil(sum);
}

/** Length, in UTF-16 units, of the longest beginning of whole code points that `estimateTokens` gives at most `tokens`. */
export function lengthWithin(text: string, tokens: number): number {
  let sum = 0;
  let length = 0;
  for (const char of text) {
    sum += weightOf(char);
    if (Math.ceil(sum) > tokens) break;
    length += char.length;
  }
  return length;
}

function weightOf(char: string): number {
  const code = char.codePointAt(0) ?? 0;
  const known = table[code];
  if (known !== undefined) return known;
  const weight = weigh(char);
  if (code < tableSize) table[code] = weight;
  return weight;
}

/** More tokens than any byte-level vocabulary makes of a text: its bytes in UTF-8. */
export function maxTokens(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    // a surrogate pair is two units and four bytes; a lone one is written as U+FFFD, three bytes
    const paired = unit >= 0xd800 && unit < 0xdc00 && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00;
    bytes += unit < 0x800 ? 1 : 2;
    if (paired) at += 1;
  }
  return bytes;
}
