/** Fewest words to insert, delete or replace (Levenshtein), over the words that were said. */
export function wordErrorRate(said: string, heard: string): number {
  const words = said.split(/\s+/);
  const other = heard.split(/\s+/).filter((word) => word !== '');
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, word] of words.entries()) {
    const next = [at + 1];
    for (const [place, candidate] of other.entries()) {
      const replaced = (row[place] ?? 0) + (word === candidate ? 0 : 1);
      next.push(Math.min(replaced, (row[place + 1] ?? 0) + 1, (next[place] ?? 0) + 1));
    }
    row = next;
  }
  return (row[other.length] ?? 0) / words.length;
}
