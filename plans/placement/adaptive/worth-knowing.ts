import { nextCondition, type OpenCondition } from './next-condition.js';

/**
 * Whether the share that passes a condition could decide which one comes first: it does when the first one is another where
 * nothing passes, or everything, with the shares of the others as they are believed to be.
 */
export function isWorthKnowing(open: readonly OpenCondition[], at: number): boolean {
  const first = nextCondition(open);
  return [0, 1].some(
    (passes) => nextCondition(open.map((one, other) => (other === at ? { ...one, passes } : one))) !== first,
  );
}
