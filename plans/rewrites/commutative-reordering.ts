import type { Apply, Join, Operator, Select } from '../algebra/operator.js';
import { rowOf } from '../algebra/operators.js';
import { schemaOf, withInputs } from '../algebra/walk.js';
import { clashes } from '../relation/schema.js';
import type { Rule } from './rule.js';

type IsShared = (operator: Operator) => boolean;

/** A task with the σ directly above it, top first. */
interface Block {
  readonly steps: readonly (Select | Apply)[];
  readonly below: Operator;
}

/**
 * Two operators change places when neither needs what the other makes (CADENZA §3): tasks with their filters among
 * themselves, and tasks with joins.
 */
export const commutativeReordering: Rule = {
  name: 'commutative-reordering',
  kind: 'structural',
  why: 'independent tasks run in another order, so that the more selective or the cheaper one comes first',
  matches: ['apply', 'select', 'join'],
  apply: (operator, { isShared }) => [
    ...swapBlocks(operator, isShared),
    ...moveIntoJoin(operator, isShared),
    ...moveOutOfJoin(operator, isShared),
  ],
};

function swapBlocks(top: Operator, isShared: IsShared): readonly Operator[] {
  const upper = blockAt(top, isShared);
  if (upper === undefined || isShared(upper.below)) return [];
  const lower = blockAt(upper.below, isShared);
  if (lower === undefined) return [];
  const made = new Set(lower.steps.flatMap((step) => rowOf(step).attr(step, [])));
  const needed = upper.steps.flatMap((step) => [...rowOf(step).free(step)]);
  if (needed.some((name) => made.has(name))) return [];
  const over = (input: Operator, { steps }: Block): Operator =>
    [...steps].reverse().reduce<Operator>((below, step) => withInputs(step, [below]), input);
  return [over(over(lower.below, upper), lower)];
}

function blockAt(top: Operator, isShared: IsShared): Block | undefined {
  const steps: (Select | Apply)[] = [];
  let at = top;
  while (at.kind === 'select') {
    steps.push(at);
    at = at.input;
    if (isShared(at)) return undefined;
  }
  return at.kind === 'apply' ? { steps: [...steps, at], below: at.input } : undefined;
}

function moveIntoJoin(operator: Operator, isShared: IsShared): readonly Operator[] {
  if (operator.kind !== 'apply' || operator.input.kind !== 'join' || isShared(operator.input)) return [];
  const { input } = operator;
  const { left, right, how } = input;
  const found: Operator[] = [];
  if (fits(operator, left, right)) found.push(withInputs(input, [withInputs(operator, [left]), right]));
  if (how === 'inner' && fits(operator, right, left))
    found.push(withInputs(input, [left, withInputs(operator, [right])]));
  return found;
}

function moveOutOfJoin(operator: Operator, isShared: IsShared): readonly Operator[] {
  if (operator.kind !== 'join') return [];
  const { left, right, how } = operator;
  const found: Operator[] = [];
  if (left.kind === 'apply' && !isShared(left) && isFreeOf(operator, left)) {
    found.push(withInputs(left, [withInputs(operator, [left.input, right])]));
  }
  if (how === 'inner' && right.kind === 'apply' && !isShared(right) && isFreeOf(operator, right)) {
    found.push(withInputs(right, [withInputs(operator, [left, right.input])]));
  }
  return found;
}

/** Whether a task reads only one side of a join, and what it makes clashes with nothing of the other. */
function fits(apply: Apply, side: Operator, other: Operator): boolean {
  const names = new Set(schemaOf(side).map(({ name }) => name));
  const reads = [...rowOf(apply).free(apply)].every((name) => names.has(name));
  return reads && !apply.outputs.some(({ name }) => clashes(schemaOf(other), name));
}

function isFreeOf(join: Join, apply: Apply): boolean {
  const needed = rowOf(join).free(join);
  return !apply.outputs.some(({ name }) => needed.has(name));
}
