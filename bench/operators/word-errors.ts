import { editDistance } from '../../plans/evaluation/text.js';

/** Fewest words to insert, delete or replace, over the words that were said. */
export function wordErrorRate(said: string, heard: string): number {
  const words = said.split(/\s+/);
  const other = heard.split(/\s+/).filter((word) => word !== '');
  return editDistance(words, other) / words.length;
}
