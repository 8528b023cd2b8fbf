/**
 * The candidates closest to a misspelt name, best first, at most three: those within a third of its length in edits, and
 * those that contain it. Case is ignored.
 */
export function nearest(name: string, candidates: readonly string[]): string[] {
  const wanted = name.toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return candidates
    .map((candidate) => ({ candidate, distance: closeness(wanted, candidate.toLowerCase()) }))
    .filter(({ distance }) => distance <= limit)
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 3)
    .map(({ candidate }) => candidate);
}

/** ` Did you mean "a" or "b"?`, or nothing when nothing is near. */
export function didYouMean(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates).map((candidate) => `"${candidate}"`);
  return near.length === 0 ? '' : `Did you mean ${near.join(' or ')}?`;
}

function closeness(a: string, b: string): number {
  if (a.length >= 3 && b.includes(a)) return 1;
  return editDistance(a, b);
}

/** Levenshtein distance, one row at a time. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const cost = a[i - 1] === b[j - 1] ? 0 : 1;
      next.push(Math.min((row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, (row[j - 1] ?? 0) + cost));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
