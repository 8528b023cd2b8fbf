import type { JsonValue } from '../protocol/json.js';
import { attributeOf, type Schema } from '../relation/schema.js';
import { columnsOf, type Expression, isTrue } from './expression.js';
import { typeOfExpression } from './expression-check.js';
import { expressionText, nameText } from './expression-text.js';
import { aggregates } from './functions.js';
import type { Aggregate, Apply, Binding, Join, JoinKind, Operator, OperatorKind, OperatorOf } from './operator.js';

/** The contract of a kind of operator: all that walking, mapping, printing, comparing and checking need to know. */
export interface OperatorRow<K extends OperatorKind> {
  /** Its sign in text and pictures. */
  readonly symbol: string;
  /** Fields that hold its inputs: one operator, or a list of them. */
  readonly children: readonly (keyof OperatorOf<K> & string)[];
  /** Attributes of its inputs that it needs: CADENZA's Free. */
  readonly free: (operator: OperatorOf<K>) => ReadonlySet<string>;
  /** Attributes that it makes: CADENZA's Attr. */
  readonly attr: (operator: OperatorOf<K>, inputs: readonly Schema[]) => readonly string[];
  /**
   * Rows that it makes of one input tuple; `set` for an operator that looks at more than one tuple at a time, `source` for
   * one that reads none.
   */
  readonly cardinality: (operator: OperatorOf<K>) => 'one' | 'zero-or-one' | 'many' | 'set' | 'source';
  readonly schema: (operator: OperatorOf<K>, inputs: readonly Schema[]) => Schema;
  /** What stands behind its sign in text and pictures. */
  readonly label: (operator: OperatorOf<K>) => string;
  /** Its fields in the JSON form, inputs left out. */
  readonly fields: (operator: OperatorOf<K>) => Readonly<Record<string, JsonValue>>;
}

const none: ReadonlySet<string> = new Set();
const nothing = (): readonly string[] => [];
const first = (_: unknown, [schema = []]: readonly Schema[]): Schema => schema;
const names = (list: readonly string[]): string => list.map(nameText).join(', ');

export const operators = {
  scan: {
    symbol: '',
    children: [],
    free: () => none,
    attr: (operator) => operator.schema.map(({ name }) => name),
    cardinality: () => 'source',
    schema: (operator) => operator.schema,
    label: (operator) => operator.relation,
    fields: ({ relation }) => ({ relation }),
  },
  select: {
    symbol: 'σ',
    children: ['input'],
    free: (operator) => columnsOf(operator.predicate),
    attr: nothing,
    cardinality: () => 'zero-or-one',
    schema: first,
    label: (operator) => expressionText(operator.predicate),
    fields: (operator) => ({ predicate: expressionText(operator.predicate) }),
  },
  project: {
    symbol: 'π',
    children: ['input'],
    free: (operator) => columnsOfAll(operator.columns.map(({ expression }) => expression)),
    attr: (operator) => operator.columns.filter((column) => !isKept(column)).map(({ name }) => name),
    cardinality: () => 'one',
    schema: (operator, [schema = []]) =>
      operator.columns.map(({ name, expression }) => ({ name, type: typeOf(expression, schema) })),
    label: (operator) => operator.columns.map(columnText).join(', '),
    fields: (operator) => ({
      columns: operator.columns.map((column) =>
        isKept(column) ? column.name : { [column.name]: expressionText(column.expression) },
      ),
    }),
  },
  join: {
    symbol: '⋈',
    children: ['left', 'right'],
    free: (operator) => columnsOf(operator.on),
    attr: nothing,
    cardinality: () => 'set',
    schema: (operator, [left = [], right = []]) => (joinsKeepRight(operator.how) ? [...left, ...right] : left),
    label: joinText,
    fields: ({ how, on }) => ({ how, on: expressionText(on) }),
  },
  group: {
    symbol: 'γ',
    children: ['input'],
    free: (operator) =>
      new Set([...operator.keys, ...operator.aggregates.flatMap(({ of, order }) => [of ?? [], order ?? []].flat())]),
    attr: (operator) => operator.aggregates.map(({ name }) => name),
    cardinality: () => 'set',
    schema: (operator, [schema = []]) => [
      ...operator.keys.map((name) => ({ name, type: attributeOf(schema, name)?.type ?? 'VARCHAR' })),
      ...operator.aggregates.map((aggregate) => ({ name: aggregate.name, type: aggregateType(aggregate, schema) })),
    ],
    label: (operator) =>
      [names(operator.keys), operator.aggregates.map(aggregateText).join(', ')]
        .filter((text) => text !== '')
        .join('; '),
    fields: ({ keys, aggregates: list }) => ({ keys, aggregates: list.map((aggregate) => ({ ...aggregate })) }),
  },
  union: {
    symbol: '∪',
    children: ['inputs'],
    free: () => none,
    attr: nothing,
    cardinality: () => 'set',
    schema: first,
    label: () => '',
    fields: () => ({}),
  },
  topk: {
    symbol: 'top',
    children: ['input'],
    free: (operator) => new Set([...operator.per, ...columnsOfAll(operator.by.map(({ expression }) => expression))]),
    attr: nothing,
    cardinality: () => 'set',
    schema: first,
    label: (operator) =>
      [
        String(operator.k),
        ...(operator.by.length === 0 ? [] : [`by ${operator.by.map(orderText).join(', ')}`]),
        ...(operator.per.length === 0 ? [] : [`of each ${names(operator.per)}`]),
      ].join(' '),
    fields: ({ k, by, per }) => ({ k, by: by.map(orderText), per }),
  },
  apply: {
    symbol: '',
    children: ['input'],
    free: (operator) =>
      new Set(Object.values(operator.bind).flatMap((slot) => ('attribute' in slot ? [slot.attribute] : []))),
    attr: (operator) => operator.outputs.map(({ name }) => name),
    cardinality: (operator) => operator.cardinality,
    schema: (operator, [schema = []]) => [...schema, ...operator.outputs.map(({ name, type }) => ({ name, type }))],
    label: applyText,
    fields: applyFields,
  },
} as const satisfies { readonly [K in OperatorKind]: OperatorRow<K> };

/** The row of an operator's kind, as one that takes any operator of that kind. */
export function rowOf(operator: Operator): OperatorRow<OperatorKind> {
  return operators[operator.kind] as unknown as OperatorRow<OperatorKind>;
}

export function joinsKeepRight(how: JoinKind): boolean {
  return how === 'inner' || how === 'left';
}

/** Whether a column of π only passes an attribute on, under its own name. */
export function isKept({ name, expression }: { readonly name: string; readonly expression: Expression }): boolean {
  return expression.kind === 'column' && expression.name === name;
}

function columnsOfAll(expressions: readonly Expression[]): ReadonlySet<string> {
  return new Set(expressions.flatMap((expression) => [...columnsOf(expression)]));
}

function typeOf(expression: Expression, schema: Schema): string {
  return typeOfExpression(expression, schema, () => undefined) ?? 'VARCHAR';
}

function aggregateType({ aggregate, of }: Aggregate, schema: Schema): string {
  return aggregates[aggregate].gives(of === undefined ? 'BIGINT' : (attributeOf(schema, of)?.type ?? 'VARCHAR'));
}

function columnText(column: { readonly name: string; readonly expression: Expression }): string {
  const name = nameText(column.name);
  return isKept(column) ? name : `${expressionText(column.expression)} → ${name}`;
}

function aggregateText({ name, aggregate, of, order }: Aggregate): string {
  const ordered = order === undefined ? '' : ` by ${nameText(order)}`;
  return `${aggregate}(${of === undefined ? '' : nameText(of)}${ordered}) → ${nameText(name)}`;
}

function orderText({
  expression,
  descending,
}: {
  readonly expression: Expression;
  readonly descending: boolean;
}): string {
  return `${expressionText(expression)}${descending ? ' DESC' : ''}`;
}

function joinText({ how, on }: Join): string {
  const kind = how === 'inner' ? '' : how;
  if (isTrue(on)) return kind === '' ? '×' : kind;
  return `${kind} ${expressionText(on)}`.trim();
}

function bindingText(binding: Binding): string {
  return 'attribute' in binding ? nameText(binding.attribute) : JSON.stringify(binding.text);
}

function applyText({ task, bind, params, outputs }: Apply): string {
  const slots = Object.entries(bind).map(([slot, binding]) => `${slot}: ${bindingText(binding)}`);
  const settings = Object.entries(params).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const made = outputs.map(({ from, name }) => (from === name ? nameText(name) : `${from} as ${nameText(name)}`));
  return `${task}(${[...slots, ...settings].join('; ')}) → ${made.join(', ')}`;
}

function applyFields({ task, bind, params, outputs, placeholder }: Apply): Readonly<Record<string, JsonValue>> {
  const renamed = outputs.filter(({ from, name }) => from !== name);
  return {
    task,
    bind: Object.fromEntries(
      Object.entries(bind).map(([slot, binding]) => [
        slot,
        'attribute' in binding ? binding.attribute : { text: binding.text },
      ]),
    ),
    ...(Object.keys(params).length === 0 ? {} : { params }),
    ...(renamed.length === 0 ? {} : { as: Object.fromEntries(renamed.map(({ from, name }) => [from, name])) }),
    ...(placeholder === undefined ? {} : { signature: { ...placeholder } }),
  };
}
