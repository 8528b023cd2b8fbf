/**
 * Finds known values inside a prompt, whatever stands around them. A value is known by the hash of its words; its first
 * words lead to it. The cost of a search depends on the prompt's length and on how many lengths start alike, never on how
 * many values are known, and no text is kept.
 */
import { type Words, wordsOf } from './words.js';

/** First words of a value that are looked up at every place of a prompt. */
const anchorWords = 8;
/** A value of so few words counts only where it stands by itself: on a line, in quotes, tags or brackets. */
const shortValue = 3;
const before = /(?:^|[\n>"'`«:=|[({,]|\\n|- )[ \t]*$/;
const after = /^[ \t.!?…]*(?:$|[\n<"'`»|\])},;]|\\n)/;
/** How far to look for what stands around a short value. */
const margin = 12;

export interface Found {
  /** Number that the value was registered with. */
  readonly value: number;
  /** Place in the normalised text. */
  readonly start: number;
  readonly end: number;
}

export class TextIndex {
  /** Table look-ups made so far: what a search costs. */
  reads = 0;
  private readonly anchors = new Map<number, number | number[]>();
  private readonly values = new Map<number, number>();
  private readonly lengths = new Set<number>();
  private count = 0;

  /** The number of this value, new or known; undefined for a text without words. */
  add(text: string): number | undefined {
    const words = wordsOf(text);
    if (words.count === 0) return undefined;
    const whole = words.run(0, words.count);
    const known = this.values.get(whole);
    if (known !== undefined) return known;
    this.values.set(whole, this.count);
    const head = Math.min(anchorWords, words.count);
    this.lengths.add(head);
    const anchor = words.run(0, head);
    const lengths = this.anchors.get(anchor);
    if (lengths === undefined) this.anchors.set(anchor, words.count);
    else if (typeof lengths === 'number') {
      if (lengths !== words.count)
        this.anchors.set(
          anchor,
          [lengths, words.count].sort((x, y) => y - x),
        );
    } else if (!lengths.includes(words.count)) {
      lengths.push(words.count);
      lengths.sort((x, y) => y - x);
    }
    return this.count++;
  }

  /** The number of a text that is one known value as a whole. */
  whole(text: string): number | undefined {
    const words = wordsOf(text);
    return words.count === 0 ? undefined : this.values.get(words.run(0, words.count));
  }

  /** Values in the order of the text, the longest at each place, none within another. */
  find(words: Words): readonly Found[] {
    const heads = [...this.lengths].sort((x, y) => y - x);
    const found: Found[] = [];
    for (let at = 0; at < words.count; ) {
      const match = this.longest(words, at, heads);
      if (match === undefined) at++;
      else {
        const [length, value] = match;
        found.push({ value, start: words.starts[at] ?? 0, end: words.ends[at + length - 1] ?? 0 });
        at += length;
      }
    }
    return found;
  }

  private longest(words: Words, at: number, heads: readonly number[]): readonly [number, number] | undefined {
    for (const head of heads) {
      if (at + head > words.count) continue;
      this.reads++;
      const lengths = this.anchors.get(words.run(at, head));
      for (const length of typeof lengths === 'number' ? [lengths] : (lengths ?? [])) {
        if (at + length > words.count || Math.min(anchorWords, length) !== head) continue;
        this.reads++;
        const value = this.values.get(words.run(at, length));
        if (value !== undefined && (length > shortValue || standsAlone(words, at, length))) return [length, value];
      }
    }
    return undefined;
  }
}

function standsAlone({ text, starts, ends }: Words, at: number, length: number): boolean {
  const start = starts[at] ?? 0;
  const end = ends[at + length - 1] ?? 0;
  return before.test(text.slice(Math.max(0, start - margin), start)) && after.test(text.slice(end, end + margin));
}
