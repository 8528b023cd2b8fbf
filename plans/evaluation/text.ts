/** Agreement of texts. */

/** Case, white space and the form of characters aside. */
export function sameText(found: string, gold: string): boolean {
  return folded(found) === folded(gold);
}

/** 1 − edit distance over the longer length, in characters, after the folding of `sameText`; 1 for two empty ones. */
export function textSimilarity(found: string, gold: string): number {
  const [a, b] = [Array.from(folded(found)), Array.from(folded(gold))];
  const longest = Math.max(a.length, b.length);
  return longest === 0 ? 1 : 1 - editDistance(a, b) / longest;
}

/** Fewest items to insert, delete or replace (Levenshtein 1965). */
export function editDistance(a: readonly string[], b: readonly string[]): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [at, item] of a.entries()) {
    const next = [at + 1];
    for (const [place, other] of b.entries()) {
      const replaced = (row[place] ?? 0) + (item === other ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim();
}
