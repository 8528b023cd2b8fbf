/** Conditions over one tuple, of which some answers are known: SQL's three-valued logic with parts still open. */
import { type Condition, partsOf } from '../condition.js';

/** An answer of a call or a plain condition; NULL is SQL's unknown. */
export type Truth = boolean | null;

/** What is known of one tuple: leaf → its value. A call goes by its id, a plain condition by its text. */
export type Answers = ReadonlyMap<string, Truth>;

/** `filter`: only whether the condition is TRUE matters, as in WHERE. `value`: FALSE and NULL are told apart, as in SELECT. */
export type Purpose = 'filter' | 'value';

/** Sets of truth values, as bits. */
const bits = { true: 1, false: 2, null: 4, any: 7 } as const;

/** The key of a leaf in `Answers`. */
export function leafKey(leaf: Extract<Condition, { readonly kind: 'call' | 'plain' }>): string {
  return leaf.kind === 'call' ? leaf.call.id : leaf.text;
}

/** What a condition is when nothing that is still open can change it: a truth value, or `undefined` while it is open. */
export function decided(condition: Condition, answers: Answers, purpose: Purpose): Truth | undefined {
  const possible = possibleValues(condition, answers);
  if (possible === bits.true) return true;
  if ((possible & bits.true) === 0 && purpose === 'filter') return false;
  if (possible === bits.false) return false;
  return possible === bits.null ? null : undefined;
}

/** The values that a condition may still take, parts being independent of each other. */
function possibleValues(condition: Condition, answers: Answers): number {
  if (condition.kind === 'call' || condition.kind === 'plain') {
    const answer = answers.get(leafKey(condition));
    return answer === undefined ? bits.any : bitOf(answer);
  }
  const parts = partsOf(condition).map((part) => possibleValues(part, answers));
  if (condition.kind === 'not') return negated(parts[0] ?? bits.any);
  if (condition.kind === 'and') return conjunction(parts);
  return negated(conjunction(parts.map(negated)));
}

function conjunction(parts: readonly number[]): number {
  const every = (wanted: number): boolean => parts.every((part) => (part & wanted) !== 0);
  const some = (wanted: number): boolean => parts.some((part) => (part & wanted) !== 0);
  return (
    (every(bits.true) ? bits.true : 0) |
    (some(bits.false) ? bits.false : 0) |
    (some(bits.null) && every(bits.true | bits.null) ? bits.null : 0)
  );
}

function negated(part: number): number {
  return (part & bits.null) | (part & bits.true ? bits.false : 0) | (part & bits.false ? bits.true : 0);
}

function bitOf(answer: Truth): number {
  return answer === null ? bits.null : answer ? bits.true : bits.false;
}
