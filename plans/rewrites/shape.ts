import { join, outputName, project } from '../algebra/build.js';
import { allOf, column, compare, conjuncts, type Expression, literal } from '../algebra/expression.js';
import type { Apply, Computed, Operator, Select } from '../algebra/operator.js';
import { rowsOf } from '../algebra/verify/rows.js';
import { schemaOf } from '../algebra/walk.js';
import { attributeOf, freeName, type Schema } from '../relation/schema.js';

/** Parts that alternative templates share: the patterns that they look for, and the shape that they must give back. */

/** π onto a schema: attributes of `values` are computed, all others are there. */
export function conform(input: Operator, schema: Schema, values: Readonly<Record<string, Expression>> = {}): Operator {
  return project(
    input,
    schema.map(({ name }) => ({ name, expression: values[name] ?? column(name) })),
  );
}

/** Known key of a relation, without positions; undefined when there is none. */
export function keyOf(operator: Operator): readonly string[] | undefined {
  const { key } = rowsOf(operator);
  return key === undefined ||
    key.length === 0 ||
    key.some((name) => attributeOf(schemaOf(operator), name) === undefined)
    ? undefined
    : key;
}

/** A verdict on one tuple: σ Answer = 'yes' over a task that answers a question. */
export interface Verdict {
  readonly select: Select;
  readonly apply: Apply;
  readonly question: string;
  readonly answer: string;
  readonly score: string;
}

/** The verdict that an operator is, or undefined. */
export function verdictOf(operator: Operator): Verdict | undefined {
  if (operator.kind !== 'select' || operator.input.kind !== 'apply') return undefined;
  const apply = operator.input;
  const { question } = apply.params;
  const answer = outputName(apply, 'Answer');
  if (typeof question !== 'string' || !apply.outputs.some(({ from }) => from === 'Answer')) return undefined;
  const says = conjuncts(operator.predicate).some(
    (item) =>
      item.kind === 'compare' &&
      item.operator === '=' &&
      item.left.kind === 'column' &&
      item.left.name === answer &&
      item.right.kind === 'literal' &&
      item.right.value === 'yes',
  );
  return says ? { select: operator, apply, question, answer, score: outputName(apply, 'Score') } : undefined;
}

/** What a verdict gives, made without asking: Answer is yes, Score what is given. */
export function asYes(
  { select: top, answer, score }: Verdict,
  input: Operator,
  certainty: Expression = literal(1.0),
): Operator {
  return conform(input, schemaOf(top), { [answer]: literal('yes'), [score]: asDouble(certainty) });
}

/** Attribute that a slot of a task reads; undefined for a constant, or when it reads nothing. */
export function boundTo(apply: Apply, slot: string): string | undefined {
  const binding = apply.bind[slot];
  return binding !== undefined && 'attribute' in binding ? binding.attribute : undefined;
}

/** Joins attributes that were made for some tuples back to all tuples of a relation with a key, NULL for the others. */
export function joinBack(base: Operator, key: readonly string[], made: Operator, names: readonly string[]): Operator {
  const taken = [...schemaOf(base), ...names.map((name) => ({ name, type: '' }))];
  const copies: Computed[] = [];
  for (const name of key) {
    const copy = freeName([...taken, ...copies.map((item) => ({ name: item.name, type: '' }))], `${name}_part`);
    copies.push({ name: copy, expression: column(name) });
  }
  const on = allOf(key.map((name, index) => compare(column(name), '=', column(copies[index]?.name ?? name))));
  return join(base, project(made, [...copies, ...names]), on, 'left');
}

/** Whether an attribute was made by a task of this name, in the chain below. */
export function isMadeBy(input: Operator, attribute: string, task: string): boolean {
  let at: Operator | undefined = input;
  while (at !== undefined) {
    if (at.kind === 'apply' && at.outputs.some(({ name }) => name === attribute)) return at.task === task;
    at = at.kind === 'apply' || at.kind === 'select' ? at.input : undefined;
  }
  return false;
}

function asDouble(expression: Expression): Expression {
  return expression.kind === 'literal' ? { kind: 'call', name: 'to_number', items: [expression] } : expression;
}
