/** A text as its words, with hashes of every run of words in constant time (Rabin–Karp over words, twice 32 bits). */

export interface Words {
  readonly count: number;
  /** Normalised text that the offsets refer to. */
  readonly text: string;
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** Hash of the words from `at`, as an exact integer below 2^53. */
  run(at: number, length: number): number;
}

const escapedUnit = /\\+u([0-9a-f]{4})/gi;
/** Words are letters, digits and pictures; the escapes of JSON inside a prompt, once or twice over, end a word. */
const word = /\\+[nrtbf"/]?|[\p{L}\p{M}\p{N}]+|\p{Extended_Pictographic}/gu;

const baseA = 0x9e3779b1;
const baseB = 0x85ebca77;
const powersA: number[] = [1];
const powersB: number[] = [1];

function power(table: number[], base: number, n: number): number {
  while (table.length <= n) table.push(Math.imul(table[table.length - 1] ?? 1, base));
  return table[n] ?? 1;
}

/** Case, width and JSON escapes of letters do not count. */
export function normalise(text: string): string {
  const plain = text.includes('\\u')
    ? text.replace(escapedUnit, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    : text;
  return plain.normalize('NFKC').toLowerCase();
}

export function wordsOf(raw: string): Words {
  const text = normalise(raw);
  const starts: number[] = [];
  const ends: number[] = [];
  const a: number[] = [0];
  const b: number[] = [0];
  for (const match of text.matchAll(word)) {
    if (match[0].startsWith('\\')) continue;
    starts.push(match.index);
    ends.push(match.index + match[0].length);
    let one = 0x811c9dc5;
    let two = 0x01000193;
    for (let i = 0; i < match[0].length; i++) {
      one = Math.imul(one ^ match[0].charCodeAt(i), 0x01000193);
      two = Math.imul(two + match[0].charCodeAt(i), 0x5bd1e995) ^ (two >>> 15);
    }
    a.push((Math.imul(a[a.length - 1] ?? 0, baseA) + one) | 0);
    b.push((Math.imul(b[b.length - 1] ?? 0, baseB) + two) | 0);
  }
  return {
    count: starts.length,
    text,
    starts: Uint32Array.from(starts),
    ends: Uint32Array.from(ends),
    run(at, length) {
      const one = ((a[at + length] ?? 0) - Math.imul(a[at] ?? 0, power(powersA, baseA, length))) | 0;
      const two = ((b[at + length] ?? 0) - Math.imul(b[at] ?? 0, power(powersB, baseB, length))) | 0;
      return (one >>> 0) * 0x200000 + ((two >>> 0) & 0x1fffff);
    },
  };
}
