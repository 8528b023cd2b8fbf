/**
 * "Is it TRUE?" and "is it FALSE?" as AND/OR trees of tests on single answers. Three-valued logic comes down to two-valued
 * tests: an AND is TRUE when all parts are and FALSE when one part is, an OR the other way round, NOT swaps the questions,
 * and NULL passes neither test.
 */
import { type Condition, partsOf } from '../condition.js';
import { leafKey } from './answers.js';

export type TestTree =
  | { readonly kind: 'test'; readonly key: string; readonly wants: boolean }
  | { readonly kind: 'all' | 'any'; readonly parts: readonly TestTree[] };

/** The tests that show whether a condition is `wanted`. */
export function testsFor(condition: Condition, wanted: boolean): TestTree {
  if (condition.kind === 'call' || condition.kind === 'plain')
    return { kind: 'test', key: leafKey(condition), wants: wanted };
  if (condition.kind === 'not') return testsFor(condition.part, !wanted);
  const parts = partsOf(condition).map((part) => testsFor(part, wanted));
  return { kind: (condition.kind === 'and') === wanted ? 'all' : 'any', parts };
}
