import type { Expression } from '../../../plans/algebra/expression.js';
import type { Aggregate, Apply, Group, Join, Operator, TopK } from '../../../plans/algebra/operator.js';
import { tieBreakers } from '../../../plans/algebra/sql.js';
import { schemaOf } from '../../../plans/algebra/walk.js';

/** A reference evaluator of plans, tuple by tuple and as slow as it is plain: the meaning that rewrites must keep. */
export type Value = null | boolean | number | string;
export type Row = Readonly<Record<string, Value>>;
export type Tables = Readonly<Record<string, readonly Row[]>>;
export type Tasks = Readonly<Record<string, (inputs: Readonly<Record<string, Value>>, apply: Apply) => readonly Row[]>>;

export function evaluate(root: Operator, tables: Tables, tasks: Tasks = {}): readonly Row[] {
  const done = new Map<Operator, readonly Row[]>();
  const visit = (operator: Operator): readonly Row[] => {
    const known = done.get(operator);
    if (known !== undefined) return known;
    const rows = rowsOf(operator, visit, tables, tasks);
    done.set(operator, rows);
    return rows;
  };
  return visit(root);
}

function rowsOf(
  operator: Operator,
  visit: (operator: Operator) => readonly Row[],
  tables: Tables,
  tasks: Tasks,
): readonly Row[] {
  switch (operator.kind) {
    case 'scan':
      return tables[operator.relation] ?? [];
    case 'select':
      return visit(operator.input).filter((row) => valueOf(operator.predicate, row) === true);
    case 'project':
      return visit(operator.input).map((row) =>
        Object.fromEntries(operator.columns.map(({ name, expression }) => [name, valueOf(expression, row)])),
      );
    case 'join':
      return joined(operator, visit(operator.left), visit(operator.right));
    case 'group':
      return grouped(operator, visit(operator.input));
    case 'union':
      return operator.inputs.flatMap(visit);
    case 'topk':
      return first(operator, visit(operator.input));
    case 'apply':
      return visit(operator.input).flatMap((row) => applied(operator, row, tasks));
  }
}

function applied(apply: Apply, row: Row, tasks: Tasks): readonly Row[] {
  const run = tasks[apply.task];
  if (run === undefined) throw new Error(`no task ${apply.task}`);
  const inputs = Object.fromEntries(
    Object.entries(apply.bind).map(([slot, binding]) => [
      slot,
      'attribute' in binding ? (row[binding.attribute] ?? null) : binding.text,
    ]),
  );
  return run(inputs, apply).map((made) => ({
    ...row,
    ...Object.fromEntries(apply.outputs.map(({ from, name }) => [name, made[from] ?? null])),
  }));
}

function joined({ how, on, right: side }: Join, left: readonly Row[], right: readonly Row[]): readonly Row[] {
  return left.flatMap((row): readonly Row[] => {
    const matches = right.filter((other) => valueOf(on, { ...row, ...other }) === true);
    if (how === 'semi') return matches.length > 0 ? [row] : [];
    if (how === 'anti') return matches.length > 0 ? [] : [row];
    if (how === 'left' && matches.length === 0) {
      return [{ ...row, ...Object.fromEntries(schemaOf(side).map(({ name }) => [name, null])) }];
    }
    return matches.map((other) => ({ ...row, ...other }));
  });
}

function grouped({ keys, aggregates }: Group, rows: readonly Row[]): readonly Row[] {
  const groups = new Map<string, Row[]>();
  if (keys.length === 0) groups.set('[]', []);
  for (const row of rows) {
    const key = JSON.stringify(keys.map((name) => row[name]));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  return [...groups.values()].map((members) => ({
    ...Object.fromEntries(keys.map((name) => [name, members[0]?.[name] ?? null])),
    ...Object.fromEntries(aggregates.map((aggregate) => [aggregate.name, aggregated(aggregate, members)])),
  }));
}

function aggregated({ aggregate, of, order }: Aggregate, rows: readonly Row[]): Value {
  if (of === undefined) return rows.length;
  const ordered = order === undefined ? rows : [...rows].sort((a, b) => inOrder(a[order] ?? null, b[order] ?? null));
  const values = ordered.map((row) => row[of] ?? null).filter((value) => value !== null);
  const numbers = values.map(Number);
  const sum = numbers.reduce((total, value) => total + value, 0);
  if (aggregate === 'count') return values.length;
  if (aggregate === 'count_distinct') return new Set(values).size;
  if (aggregate === 'list') return JSON.stringify(ordered.map((row) => row[of] ?? null));
  if (values.length === 0) return null;
  if (aggregate === 'sum') return sum;
  if (aggregate === 'avg') return sum / numbers.length;
  if (aggregate === 'string_agg') return values.join(' ');
  const sorted = [...values].sort(inOrder);
  return (aggregate === 'min' ? sorted[0] : sorted.at(-1)) ?? null;
}

function first({ by, k, per, input }: TopK, rows: readonly Row[]): readonly Row[] {
  const ties = tieBreakers(input);
  const sorted = [...rows].sort((a, b) => {
    for (const { expression, descending } of by) {
      const [x, y] = [valueOf(expression, a), valueOf(expression, b)];
      if (x === y) continue;
      if (x === null || y === null) return x === null ? 1 : -1;
      return descending ? inOrder(y, x) : inOrder(x, y);
    }
    for (const name of ties) {
      const order = inOrder(a[name] ?? null, b[name] ?? null);
      if (order !== 0) return order;
    }
    return 0;
  });
  const taken = new Map<string, number>();
  return sorted.filter((row) => {
    const group = JSON.stringify(per.map((name) => row[name]));
    const count = (taken.get(group) ?? 0) + 1;
    taken.set(group, count);
    return count <= k;
  });
}

/** NULL last. */
function inOrder(a: Value, b: Value): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  return a < b ? -1 : 1;
}

/** SQL's three-valued logic. */
export function valueOf(expression: Expression, row: Row): Value {
  const value = (part: Expression): Value => valueOf(part, row);
  switch (expression.kind) {
    case 'column':
      if (!(expression.name in row))
        throw new Error(`no attribute ${expression.name} in ${Object.keys(row).join(', ')}`);
      return row[expression.name] ?? null;
    case 'literal':
    case 'threshold':
      return expression.value;
    case 'compare':
      return compared(expression.operator, value(expression.left), value(expression.right));
    case 'arithmetic': {
      const [a, b] = [value(expression.left), value(expression.right)];
      if (a === null || b === null) return null;
      return {
        '+': Number(a) + Number(b),
        '-': Number(a) - Number(b),
        '*': Number(a) * Number(b),
        '/': Number(a) / Number(b),
      }[expression.operator];
    }
    case 'and': {
      const values = expression.items.map(value);
      return values.includes(false) ? false : values.includes(null) ? null : true;
    }
    case 'or': {
      const values = expression.items.map(value);
      return values.includes(true) ? true : values.includes(null) ? null : false;
    }
    case 'not': {
      const item = value(expression.item);
      return item === null ? null : item !== true;
    }
    case 'null':
      return value(expression.item) === null;
    case 'in': {
      const item = value(expression.item);
      const options = expression.options.map(value).map((option) => compared('=', item, option));
      return options.includes(true) ? true : options.includes(null) ? null : false;
    }
    case 'call':
      return called(expression.name, expression.items.map(value));
  }
}

function compared(operator: string, a: Value, b: Value): Value {
  if (a === null || b === null) return null;
  if (operator === '=') return a === b;
  if (operator === '<>') return a !== b;
  if (operator === '<') return a < b;
  if (operator === '<=') return a <= b;
  return operator === '>' ? a > b : a >= b;
}

function called(name: string, items: readonly Value[]): Value {
  if (name === 'coalesce') return items.find((item) => item !== null) ?? null;
  if (name === 'concat') return items.map((item) => (item === null ? '' : String(item))).join('');
  if (name === 'to_text') return items[0] === null || items[0] === undefined ? null : String(items[0]);
  if (items.some((item) => item === null)) return null;
  const [a = '', b = ''] = items.map(String);
  if (name === 'length') return a.length;
  if (name === 'lower') return a.toLowerCase();
  if (name === 'upper') return a.toUpperCase();
  if (name === 'trim') return a.trim();
  if (name === 'contains') return a.includes(b);
  if (name === 'starts_with') return a.startsWith(b);
  if (name === 'ends_with') return a.endsWith(b);
  if (name === 'abs') return Math.abs(Number(items[0]));
  if (name === 'to_number') return Number.isNaN(Number(a)) || a === '' ? null : Number(a);
  if (name === 'cosine') return Math.abs(hash(`${a}|${b}`) % 9) / 8;
  throw new Error(`no function ${name}`);
}

/** A small number that depends on a text alone. */
export function hash(text: string): number {
  let value = 7;
  for (const char of text) value = (value * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return value;
}

/** Rows as a bag: texts in order, whatever order rows and attributes came in. */
export function bag(rows: readonly Row[]): readonly string[] {
  return rows.map((row) => JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))).sort();
}
