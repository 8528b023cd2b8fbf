import { join, project, select } from '../algebra/build.js';
import { allOf, columnsOf, conjuncts, type Expression, column, mapColumns } from '../algebra/expression.js';
import type { Join, Operator, Select } from '../algebra/operator.js';
import { schemaOf, withInputs } from '../algebra/walk.js';
import type { Rule } from './rule.js';

/** σ goes below whatever makes nothing that it reads (CADENZA §3), so that tasks see fewer tuples. */
export const filterPushdown: Rule = {
  name: 'filter-pushdown',
  kind: 'structural',
  why: 'a filter runs before the tasks whose outputs it does not read',
  matches: ['select'],
  apply: (operator, { isShared }) => {
    if (operator.kind !== 'select' || isShared(operator.input)) return [];
    const pushed = push(operator);
    return pushed === undefined ? [] : [pushed];
  },
};

function push({ input, predicate }: Select): Operator | undefined {
  switch (input.kind) {
    case 'scan':
      return undefined;
    case 'select':
      return select(input, predicate);
    case 'project': {
      const made = new Map(input.columns.map(({ name, expression }) => [name, expression]));
      const below = mapColumns(predicate, (name) => made.get(name) ?? column(name));
      return project(select(input.input, below), input.columns);
    }
    case 'apply': {
      const outputs = new Set(input.outputs.map(({ name }) => name));
      return split(
        predicate,
        (names) => !names.some((name) => outputs.has(name)),
        (below) => withInputs(input, [select(input.input, below)]),
      );
    }
    case 'group': {
      const { keys } = input;
      if (keys.length === 0) return undefined;
      return split(
        predicate,
        (names) => names.every((name) => keys.includes(name)),
        (below) => withInputs(input, [select(input.input, below)]),
      );
    }
    case 'topk': {
      const { per } = input;
      if (per.length === 0) return undefined;
      return split(
        predicate,
        (names) => names.every((name) => per.includes(name)),
        (below) => withInputs(input, [select(input.input, below)]),
      );
    }
    case 'union':
      return withInputs(
        input,
        input.inputs.map((one) => select(one, predicate)),
      );
    case 'join':
      return pushIntoJoin(input, predicate);
  }
}

function pushIntoJoin(input: Join, predicate: Expression): Operator | undefined {
  const left = new Set(schemaOf(input.left).map(({ name }) => name));
  const right = new Set(schemaOf(input.right).map(({ name }) => name));
  const intoLeft = split(
    predicate,
    (names) => names.every((name) => left.has(name)),
    (below) => join(select(input.left, below), input.right, input.on, input.how),
  );
  if (intoLeft !== undefined || input.how !== 'inner') return intoLeft;
  return split(
    predicate,
    (names) => names.every((name) => right.has(name)),
    (below) => join(input.left, select(input.right, below), input.on, input.how),
  );
}

/** Pushes the conjuncts that may go and leaves the others where they are; undefined when none may. */
function split(
  predicate: Expression,
  mayGo: (names: readonly string[]) => boolean,
  over: (below: Expression) => Operator,
): Operator | undefined {
  const all = conjuncts(predicate);
  const go = all.filter((item) => mayGo([...columnsOf(item)]));
  if (go.length === 0) return undefined;
  const stay = all.filter((item) => !go.includes(item));
  return select(over(allOf(go)), allOf(stay));
}
