import { conjuncts, columnsOf, type Expression } from '../expression.js';
import { expressionText } from '../expression-text.js';
import type { Join, Operator, Union } from '../operator.js';
import { schemaOf } from '../walk.js';

/** What is known of an operator's rows. */
export interface Rows {
  /** Attributes that tell any two rows apart; undefined when rows may come out several times. */
  readonly key: readonly string[] | undefined;
  /** Whether every tuple of the relation below still has a row. */
  readonly complete: boolean;
}

/** Stands for the position of a tuple in a relation without a key: lost as soon as rows are multiplied. */
const position = (relation: string): string => `\u0000position of ${relation}`;

const known = new WeakMap<Operator, Rows>();

/** Keys and completeness of what an operator gives, from the contracts of the operators below it. */
export function rowsOf(operator: Operator): Rows {
  const memo = known.get(operator);
  if (memo !== undefined) return memo;
  const rows = compute(operator);
  known.set(operator, rows);
  return rows;
}

/** Whether the rows are told apart by these attributes; a relation without a key counts as having its position as one. */
export function isKeyedBy({ key }: Rows, names: readonly string[]): boolean {
  return key?.every((name) => names.includes(name) || name.startsWith('\u0000')) === true;
}

function compute(operator: Operator): Rows {
  switch (operator.kind) {
    case 'scan':
      return { key: operator.key.length > 0 ? operator.key : [position(operator.relation)], complete: true };
    case 'select':
      return { ...rowsOf(operator.input), complete: false };
    case 'project': {
      const { key, complete } = rowsOf(operator.input);
      const names = new Map(
        operator.columns.flatMap(({ name, expression }) =>
          expression.kind === 'column' ? [[expression.name, name] as const] : [],
        ),
      );
      const kept = key?.map((name) => (name.startsWith('\u0000') ? name : names.get(name)));
      return { key: kept?.every((name) => name !== undefined) ? kept : undefined, complete };
    }
    case 'apply': {
      const { key, complete } = rowsOf(operator.input);
      if (operator.cardinality === 'many') return { key: undefined, complete: false };
      return { key, complete: complete && operator.cardinality === 'one' };
    }
    case 'group':
      return { key: operator.keys, complete: rowsOf(operator.input).complete };
    case 'topk': {
      const { key } = rowsOf(operator.input);
      return { key: operator.k === 1 && operator.per.length > 0 ? operator.per : key, complete: false };
    }
    case 'join':
      return joinRows(operator);
    case 'union':
      return unionRows(operator);
  }
}

function joinRows({ left, right, how, on }: Join): Rows {
  const [one, other] = [rowsOf(left), rowsOf(right)];
  if (how === 'semi' || how === 'anti') return { key: one.key, complete: false };
  const complete = how === 'left' && one.complete;
  if (other.key !== undefined && equates(on, other.key, new Set(schemaOf(left).map(({ name }) => name)))) {
    return { key: one.key, complete };
  }
  if (one.key === undefined || other.key === undefined) return { key: undefined, complete };
  const determined =
    how === 'inner' ? determinedBy(on, new Set(schemaOf(right).map(({ name }) => name))) : new Set<string>();
  return { key: [...one.key.filter((name) => !determined.has(name)), ...other.key], complete };
}

/** Attributes that a join predicate sets equal to something made of the other side's row alone. */
function determinedBy(on: Expression, other: ReadonlySet<string>): ReadonlySet<string> {
  const names = conjuncts(on).flatMap((item) => {
    if (item.kind !== 'compare' || item.operator !== '=') return [];
    const sides = [
      [item.left, item.right],
      [item.right, item.left],
    ] as const;
    return sides.flatMap(([one, made]) =>
      one.kind === 'column' && [...columnsOf(made)].every((name) => other.has(name)) ? [one.name] : [],
    );
  });
  return new Set(names);
}

/** Whether a join predicate sets every attribute of a key equal to one of the other side: then it finds one row at most. */
function equates(on: Expression, key: readonly string[], other: ReadonlySet<string>): boolean {
  const pairs = conjuncts(on).flatMap((item) =>
    item.kind === 'compare' && item.operator === '=' && item.left.kind === 'column' && item.right.kind === 'column'
      ? [[item.left.name, item.right.name] as const]
      : [],
  );
  return key.every((name) => pairs.some(([a, b]) => (a === name && other.has(b)) || (b === name && other.has(a))));
}

/** A union of disjoint parts of one relation keeps its key; of two that make up the whole, all its tuples too. */
function unionRows({ inputs }: Union): Rows {
  const [first, ...rest] = inputs;
  if (first === undefined) return { key: undefined, complete: false };
  const rows = rowsOf(first);
  if (rest.length === 0) return rows;
  const same = rest.every((input) => sameKey(rows.key, rowsOf(input).key));
  const disjoint = inputs.every((input, index) => inputs.slice(index + 1).every((other) => areDisjoint(input, other)));
  if (!same || !disjoint) return { key: undefined, complete: false };
  const [second] = rest;
  return { key: rows.key, complete: rest.length === 1 && second !== undefined && makeUpWhole(first, second) };
}

function sameKey(left: readonly string[] | undefined, right: readonly string[] | undefined): boolean {
  if (left === undefined || right === undefined) return false;
  return left.length === right.length && left.every((name) => right.includes(name));
}

interface Branch {
  /** Conjuncts of the σ directly above an operator, before anything renames its attributes. */
  readonly guards: ReadonlyMap<Operator, readonly string[]>;
  /** Operators of the chain above each operator that can drop a row. */
  readonly droppers: ReadonlyMap<Operator, number>;
}

/** Walks down the chain of a branch and notes, for each operator on it, what stands between it and the top. */
function branchOf(top: Operator): Branch {
  const chain: Operator[] = [];
  for (let at: Operator | undefined = top; at !== undefined; at = inputOf(at)) chain.push(at);
  const guards = new Map<Operator, readonly string[]>();
  const droppers = new Map<Operator, number>();
  chain.forEach((operator, index) => {
    const above = chain.slice(0, index);
    const texts: string[] = [];
    const names = new Set(schemaOf(operator).map(({ name }) => name));
    for (const step of [...above].reverse()) {
      if (step.kind === 'project') break;
      if (step.kind === 'select') {
        texts.push(
          ...conjuncts(step.predicate)
            .filter((item) => [...columnsOf(item)].every((name) => names.has(name)))
            .map(expressionText),
        );
      }
    }
    guards.set(operator, texts);
    droppers.set(operator, above.filter(drops).length);
  });
  return { guards, droppers };
}

/** The input of which an operator's rows are rows: of a join, the left side. */
function inputOf(operator: Operator): Operator | undefined {
  switch (operator.kind) {
    case 'select':
    case 'project':
    case 'apply':
    case 'topk':
      return operator.input;
    case 'join':
      return operator.left;
    case 'scan':
    case 'group':
    case 'union':
      return undefined;
  }
}

function drops(operator: Operator): boolean {
  if (operator.kind === 'join') return operator.how !== 'left';
  return (
    operator.kind === 'select' ||
    operator.kind === 'topk' ||
    (operator.kind === 'apply' && operator.cardinality !== 'one')
  );
}

function areDisjoint(left: Operator, right: Operator): boolean {
  const [one, other] = [branchOf(left), branchOf(right)];
  return [...one.guards].some(([operator, texts]) => {
    const others = other.guards.get(operator);
    return others !== undefined && texts.some((text) => others.some((item) => areOpposite(text, item)));
  });
}

function areOpposite(left: string, right: string): boolean {
  const negated = (text: string): readonly string[] => [`NOT ${text}`, `NOT (${text})`];
  return negated(left).includes(right) || negated(right).includes(left);
}

/** Whether two branches split a relation by one predicate that is never NULL, and drop nothing else of it. */
function makeUpWhole(left: Operator, right: Operator): boolean {
  const [one, other] = [branchOf(left), branchOf(right)];
  return [...one.guards].some(([operator, texts]) => {
    const others = other.guards.get(operator) ?? [];
    const [text = ''] = texts;
    const [item = ''] = others;
    if (texts.length !== 1 || others.length !== 1 || !areOpposite(text, item)) return false;
    if (one.droppers.get(operator) !== 1 || other.droppers.get(operator) !== 1) return false;
    return /^(NOT )?coalesce\(.*, false\)$/.test(text) && rowsOf(operator).complete;
  });
}
