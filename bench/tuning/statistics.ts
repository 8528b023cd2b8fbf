/** Quantile by linear interpolation. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const at = p * (sorted.length - 1);
  const low = Math.floor(at);
  const next = sorted[Math.min(low + 1, sorted.length - 1)]!;
  return sorted[low]! + (at - low) * (next - sorted[low]!);
}

/** Two-sided sign test of paired values: wins of a, wins of b, p. */
export function signTest(a: readonly number[], b: readonly number[]): { wins: number; losses: number; p: number } {
  const wins = a.filter((value, i) => value > b[i]!).length;
  const losses = a.filter((value, i) => value < b[i]!).length;
  const total = wins + losses;
  let tail = 0;
  let term = 0.5 ** total;
  for (let k = 0; k <= Math.min(wins, losses); k++) {
    tail += term;
    term = (term * (total - k)) / (k + 1);
  }
  return { wins, losses, p: Math.min(1, 2 * tail) };
}
