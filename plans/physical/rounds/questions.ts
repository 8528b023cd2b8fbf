/** How many questions rounds take, before any is asked. */
import type { Range } from '../../protocol/run.js';
import type { RoundsSchedule } from '../../protocol/strategy.js';
import { listwiseQuestions } from '../top-k/listwise.js';
import { quickselectComparisons } from '../top-k/quickselect.js';
import { tournamentComparisons } from '../top-k/tournament.js';
import { resultTokens } from './capacity.js';
import { itemTokens } from './pack.js';

/** Tokens of a result by how long answers may turn out: an answer has a few words, and at most what it is allowed. */
const resultSizes: Range = { low: 20, expected: resultTokens / 2, high: resultTokens };

/** Questions of groups whose items make so many chunks each. */
export function foldQuestions({ kind, tokens }: RoundsSchedule, chunks: readonly number[]): Range {
  const all = (size: number): number => chunks.reduce((sum, count) => sum + treeQuestions(count, tokens, size), 0);
  if (kind === 'fold') {
    const count = chunks.reduce((sum, own) => sum + own, 0);
    return { low: count, expected: count, high: count };
  }
  return { low: all(resultSizes.low), expected: all(resultSizes.expected), high: all(resultSizes.high) };
}

function treeQuestions(chunks: number, tokens: number, size: number): number {
  const joins = Math.max(2, Math.floor(tokens / (size + itemTokens(''))));
  let questions = chunks;
  for (let left = chunks; left > 1; ) {
    left = Math.ceil(left / joins);
    questions += left;
  }
  return questions;
}

/** Questions of a top-k over so many inputs; `window`: items of a list. */
export function topQuestions({ kind, top }: RoundsSchedule, inputs: number, window: number): Range {
  const k = Math.min(top?.count ?? 0, inputs);
  const times = top?.bothOrders === true ? 2 : 1;
  if (k === 0 || inputs < 2) return { low: 0, expected: 0, high: 0 };
  if (kind === 'listwise') return every(listwiseQuestions(inputs, k, window));
  if (kind === 'heap') return { ...every(tournamentComparisons(inputs, k) * times), low: (inputs - 1) * times };
  const expected = quickselectComparisons(inputs, k) * times;
  // pivots are drawn at random: the number of comparisons is within a factor of two, all but surely
  return { low: (inputs - 1) * times, expected, high: 2 * expected };
}

function every(count: number): Range {
  return { low: count, expected: count, high: count };
}
