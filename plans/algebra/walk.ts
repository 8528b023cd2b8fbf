import type { Schema } from '../relation/schema.js';
import type { Operator } from './operator.js';
import { rowOf } from './operators.js';

type Fields = Readonly<Record<string, Operator | readonly Operator[]>>;

/** Operators never change, and walks ask for their inputs all the time. */
const inputs = new WeakMap<Operator, readonly Operator[]>();

/** Inputs of an operator, in order. */
export function inputsOf(operator: Operator): readonly Operator[] {
  let found = inputs.get(operator);
  if (found === undefined) {
    const fields = operator as unknown as Fields;
    found = rowOf(operator).children.flatMap((child) => fields[child] ?? []);
    inputs.set(operator, found);
  }
  return found;
}

/** The same operator over other inputs; itself when they are the ones that it has. */
export function withInputs<O extends Operator>(operator: O, next: readonly Operator[]): O {
  const old = inputsOf(operator);
  if (next.length === old.length && next.every((input, index) => input === old[index])) return operator;
  const fields = operator as unknown as Fields;
  let at = 0;
  const changed = rowOf(operator).children.map((child) => {
    const value = fields[child];
    if (!Array.isArray(value)) return [child, next[at++]] as const;
    const list = next.slice(at, at + value.length);
    at += value.length;
    return [child, list] as const;
  });
  return { ...operator, ...(Object.fromEntries(changed) as Partial<O>) };
}

/** Every operator of a plan once, each after its inputs; the root is last. */
export function operatorsOf(root: Operator): readonly Operator[] {
  const seen = new Set<Operator>();
  const visit = (operator: Operator): void => {
    if (seen.has(operator)) return;
    for (const input of inputsOf(operator)) visit(input);
    seen.add(operator);
  };
  visit(root);
  return [...seen];
}

/** The plan with every operator replaced by what `change` makes of it, inputs first; what is shared stays shared. */
export function mapPlan(root: Operator, change: (operator: Operator) => Operator): Operator {
  const done = new Map<Operator, Operator>();
  for (const operator of operatorsOf(root)) {
    const inputs = inputsOf(operator).map((input) => done.get(input) ?? input);
    done.set(operator, change(withInputs(operator, inputs)));
  }
  return done.get(root) ?? root;
}

/** The plan with one of its operators replaced, for every reader of it. */
export function replaceOperator(root: Operator, target: Operator, replacement: Operator): Operator {
  const done = new Map<Operator, Operator>([[target, replacement]]);
  for (const operator of operatorsOf(root)) {
    if (done.has(operator)) continue;
    const inputs = inputsOf(operator).map((input) => done.get(input) ?? input);
    done.set(operator, withInputs(operator, inputs));
  }
  return done.get(root) ?? root;
}

/** How many operators read each operator. */
export function readersOf(root: Operator): ReadonlyMap<Operator, number> {
  const readers = new Map<Operator, number>();
  for (const operator of operatorsOf(root)) {
    for (const input of inputsOf(operator)) readers.set(input, (readers.get(input) ?? 0) + 1);
  }
  return readers;
}

const schemas = new WeakMap<Operator, Schema>();

/** Attributes of what an operator gives. */
export function schemaOf(root: Operator): Schema {
  const known = schemas.get(root);
  if (known !== undefined) return known;
  const schema = rowOf(root).schema(root, inputsOf(root).map(schemaOf));
  schemas.set(root, schema);
  return schema;
}
