import { nearest } from '../../plans/sql/nearest.js';

/** `; did you mean x?`, or what there is to choose from. */
export function suggestion(word: string, candidates: readonly string[]): string {
  const [close] = nearest(word, candidates);
  return close === undefined ? `; known here: ${candidates.join(', ')}` : `; did you mean ${close}?`;
}
