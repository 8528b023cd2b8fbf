/**
 * The next question by the ratio rule: parts of an AND by expected cost / chance to fail, parts of an OR by expected cost /
 * chance to pass, the smallest first, bottom up. Best among strategies that finish a part before they begin the next.
 */
import type { Answers } from './answers.js';
import type { Rates } from './pass-rates.js';
import type { TestTree } from './tests.js';

/** What is known of a leaf before it is asked. */
export interface LeafFacts {
  /** Cost of asking, in any unit; 0 for what is free. */
  readonly cost: number;
  readonly rates: Rates;
}

export interface Open {
  readonly kind: 'open';
  /** The leaf to ask first. */
  readonly next: string;
  /** Expected cost until the tree is decided. */
  readonly cost: number;
  /** Chance that it passes. */
  readonly passes: number;
}

export type Progress = Open | { readonly kind: 'passed' } | { readonly kind: 'failed' };

/** Where a tree of tests stands, given the answers so far, and which leaf to ask next. */
export function nextTest(tree: TestTree, answers: Answers, facts: (key: string) => LeafFacts): Progress {
  if (tree.kind === 'test') {
    const answer = answers.get(tree.key);
    if (answer !== undefined) return { kind: answer === tree.wants ? 'passed' : 'failed' };
    const { cost, rates } = facts(tree.key);
    return { kind: 'open', next: tree.key, cost, passes: tree.wants ? rates.true : rates.false };
  }
  const [settles, carries] = tree.kind === 'all' ? (['failed', 'passed'] as const) : (['passed', 'failed'] as const);
  const open: Open[] = [];
  for (const part of tree.parts) {
    const progress = nextTest(part, answers, facts);
    if (progress.kind === settles) return progress;
    if (progress.kind === 'open') open.push(progress);
  }
  const settling = ({ passes }: Open): number => (settles === 'passed' ? passes : 1 - passes);
  const [first, ...others] = open
    .map((part, at) => ({ part, at, ratio: ratio(part.cost, settling(part)) }))
    .sort((a, b) => a.ratio - b.ratio || a.at - b.at)
    .map(({ part }) => part);
  if (first === undefined) return { kind: carries };
  let cost = first.cost;
  let carrying = 1 - settling(first);
  for (const part of others) {
    cost += carrying * part.cost;
    carrying *= 1 - settling(part);
  }
  return { kind: 'open', next: first.next, cost, passes: settles === 'passed' ? 1 - carrying : carrying };
}

function ratio(cost: number, chance: number): number {
  if (cost === 0) return 0;
  return chance > 0 ? cost / chance : Infinity;
}
