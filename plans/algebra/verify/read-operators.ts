import type { JsonValue } from '../../protocol/json.js';
import { attributeOf, clashes, type Schema } from '../../relation/schema.js';
import { isAssignable, isSemantic } from '../../relation/types.js';
import { didYouMean } from '../../sql/nearest.js';
import { column, type Expression, literal } from '../expression.js';
import { checkPredicate, typeOfExpression } from '../expression-check.js';
import { parseExpression } from '../expression-parse.js';
import { aggregates, isAggregate } from '../functions.js';
import type { Aggregate, Computed, Operator, OperatorKind, Order } from '../operator.js';
import { schemaOf } from '../walk.js';
import type { Reading } from './context.js';
import { type DraftOperator, draftLimits, type Fields, goodName, isFields, isTexts, short } from './draft.js';
import type { Reporter } from './issue.js';
import { readApply } from './read-apply.js';

type Reader = (reading: Reading) => Operator | undefined;

const readers: { readonly [K in OperatorKind]: Reader } = {
  scan: readScan,
  select: (reading) => {
    const [input] = reading.inputs;
    const predicate = predicateIn(reading, 'predicate', input === undefined ? undefined : schemaOf(input));
    return input && { kind: 'select', input, predicate };
  },
  project: readProject,
  join: readJoin,
  group: readGroup,
  union: readUnion,
  topk: readTopK,
  apply: readApply,
};

/**
 * The operator that a draft describes, everything wrong with it reported. What can be guessed is mended (a predicate that
 * cannot be read counts as TRUE), so that the operators above are still checked; undefined where nothing can be guessed.
 */
export function readDraftOperator(draft: DraftOperator, reading: Reading): Operator | undefined {
  return readers[draft.kind](reading);
}

function readScan({ fields, context, report }: Reading): Operator | undefined {
  const { relation } = fields;
  const names = Object.keys(context.relations);
  if (typeof relation === 'string' && Object.hasOwn(context.relations, relation)) {
    const found = context.relations[relation];
    if (found !== undefined) return { kind: 'scan', relation, ...found };
  }
  const near = typeof relation === 'string' ? didYouMean(relation.slice(0, draftLimits.nameCharacters), names) : '';
  report(
    'unknown-relation',
    'relation',
    `there is no relation ${short(relation)}`,
    `${near} The relations are: ${names.join(', ')}.`.trim(),
  );
  return undefined;
}

function readProject(reading: Reading): Operator | undefined {
  const { fields, inputs, report } = reading;
  const [input] = inputs;
  const given = fields['columns'];
  if (!Array.isArray(given) || given.length === 0) {
    report('malformed', 'columns', "'columns' is not a list", 'Write ["id", {"name": "lower(brand)"}].');
    return input;
  }
  const schema = input === undefined ? undefined : schemaOf(input);
  const columns: Computed[] = [];
  for (const item of given as readonly JsonValue[]) {
    for (const [name, text] of columnsIn(item, report)) {
      if (!goodName(name, 'columns', report)) continue;
      if (
        clashes(
          columns.map((made) => ({ name: made.name, type: '' })),
          name,
        )
      ) {
        report('duplicate-name', 'columns', `'${name}' is there twice`, 'Give each column a name of its own.');
        continue;
      }
      const expression = text === undefined ? column(name) : expressionFrom(text, 'columns', report);
      if (schema !== undefined) typeOfExpression(expression, schema, issuesTo('columns', report));
      columns.push({ name, expression });
    }
  }
  return input && { kind: 'project', input, columns };
}

/** `"id"`, `{"name": "expression"}` or `{"name": "x", "expression": "…"}`. */
function columnsIn(item: JsonValue, report: Reporter): readonly (readonly [string, JsonValue | undefined])[] {
  if (typeof item === 'string') return [[item, undefined]];
  if (!isFields(item)) {
    report('malformed', 'columns', `${short(item)} is not a column`, 'Write a name, or {"name": "expression"}.');
    return [];
  }
  const { name, expression } = item;
  return typeof name === 'string' && expression !== undefined ? [[name, expression]] : Object.entries(item);
}

function readJoin(reading: Reading): Operator | undefined {
  const { fields, inputs, report } = reading;
  const [left, right] = inputs;
  const how = fields['how'] ?? 'inner';
  const known = how === 'inner' || how === 'left' || how === 'semi' || how === 'anti';
  if (!known) report('malformed', 'how', `there is no join ${short(how)}`, 'The joins are: inner, left, semi, anti.');
  if (left === undefined || right === undefined) {
    predicateIn(reading, 'on', undefined);
    return undefined;
  }
  const schema = schemaOf(left);
  const both = schemaOf(right).filter(({ name }) => clashes(schema, name));
  for (const { name } of both) {
    report(
      'duplicate-name',
      '',
      `both sides have an attribute '${name}'`,
      `Rename it on one side: a project with {"${name}_2": "${name}"}.`,
    );
  }
  const on = predicateIn(reading, 'on', [...schema, ...schemaOf(right)]);
  return { kind: 'join', left, right, how: known ? how : 'inner', on };
}

function readGroup({ fields, inputs, report }: Reading): Operator | undefined {
  const [input] = inputs;
  const schema = input === undefined ? undefined : schemaOf(input);
  const keys = namesIn(fields, 'keys', report);
  for (const key of keys) checkKey(key, schema, 'keys', report);
  const given = fields['aggregates'] ?? [];
  if (!Array.isArray(given)) {
    report(
      'malformed',
      'aggregates',
      "'aggregates' is not a list",
      'Write [{"name": "total", "aggregate": "sum", "of": "price"}].',
    );
  }
  const list: Aggregate[] = [];
  for (const item of Array.isArray(given) ? (given as readonly JsonValue[]) : []) {
    const found = readAggregate(item, schema, report);
    if (found === undefined) continue;
    if (
      clashes(
        [...keys, ...list.map(({ name }) => name)].map((name) => ({ name, type: '' })),
        found.name,
      )
    ) {
      report(
        'duplicate-name',
        'aggregates',
        `'${found.name}' is there twice`,
        'Give each aggregate a name of its own.',
      );
    } else list.push(found);
  }
  if (keys.length + list.length === 0) {
    report('malformed', '', 'a group has neither keys nor aggregates', 'Name at least one.');
    return undefined;
  }
  return input && { kind: 'group', input, keys, aggregates: list };
}

function readAggregate(item: JsonValue, schema: Schema | undefined, report: Reporter): Aggregate | undefined {
  const names = Object.keys(aggregates);
  if (!isFields(item)) {
    report(
      'malformed',
      'aggregates',
      `${short(item)} is not an aggregate`,
      'Write {"name": "n", "aggregate": "count"}.',
    );
    return undefined;
  }
  const { name, aggregate, of, order } = item;
  const row = typeof aggregate === 'string' && isAggregate(aggregate) ? aggregates[aggregate] : undefined;
  if (row === undefined || typeof aggregate !== 'string' || !isAggregate(aggregate)) {
    report(
      'malformed',
      'aggregates',
      `there is no aggregate ${short(aggregate)}`,
      `The aggregates are: ${names.join(', ')}.`,
    );
    return undefined;
  }
  if (typeof name !== 'string' || !goodName(name, 'aggregates', report)) return undefined;
  for (const attribute of [of, order]) {
    if (typeof attribute === 'string' && schema !== undefined) {
      typeOfExpression(column(attribute), schema, issuesTo('aggregates', report));
    }
  }
  if (typeof of !== 'string') {
    if (aggregate !== 'count') report('malformed', 'aggregates', `${aggregate} needs an attribute`, 'Name it in "of".');
    return aggregate === 'count' ? { name, aggregate } : undefined;
  }
  const type = schema === undefined ? undefined : attributeOf(schema, of)?.type;
  const wrong = {
    number: !isAssignable(type ?? 'DOUBLE', 'DOUBLE'),
    text: !isAssignable(type ?? 'Text', 'Text'),
    plain: isSemantic(type ?? ''),
    any: false,
    nothing: false,
  }[row.takes];
  if (wrong)
    report(
      'type-mismatch',
      'aggregates',
      `${aggregate} of '${of}' is of type ${type ?? ''}`,
      `It takes ${row.takes === 'plain' ? 'a structured' : `a ${row.takes}`} attribute.`,
    );
  return { name, aggregate, of, ...(typeof order === 'string' ? { order } : {}) };
}

function readUnion({ inputs, report }: Reading): Operator | undefined {
  const known = inputs.filter((input) => input !== undefined);
  const [first, ...rest] = known;
  if (first === undefined) return undefined;
  const schema = schemaOf(first);
  for (const input of rest) {
    const other = schemaOf(input);
    const missing = schema.filter(({ name, type }) => attributeOf(other, name)?.type !== type);
    const more = other.filter(({ name }) => attributeOf(schema, name) === undefined);
    if (missing.length + more.length === 0) continue;
    const names = [...missing, ...more].map(({ name }) => name);
    report(
      'type-mismatch',
      'inputs',
      `the united relations differ in: ${names.join(', ')}`,
      'Project both onto the same attributes.',
    );
  }
  return known.length === inputs.length ? { kind: 'union', inputs: known } : undefined;
}

function readTopK(reading: Reading): Operator | undefined {
  const { fields, inputs, report } = reading;
  const [input] = inputs;
  const schema = input === undefined ? undefined : schemaOf(input);
  const { k } = fields;
  const good = typeof k === 'number' && Number.isSafeInteger(k) && k > 0;
  if (!good) report('malformed', 'k', `'k' is ${short(k)}`, 'Set it to a whole number above 0.');
  const per = namesIn(fields, 'per', report);
  for (const name of per) checkKey(name, schema, 'per', report);
  const by: Order[] = [];
  for (const text of namesIn(fields, 'by', report)) {
    const direction = /\s+(asc|desc)\s*$/i.exec(text)?.[1]?.toLowerCase();
    const expression = expressionFrom(direction === undefined ? text : text.replace(/\s+\w+\s*$/, ''), 'by', report);
    const type = schema === undefined ? undefined : typeOfExpression(expression, schema, issuesTo('by', report));
    if (type !== undefined && isSemantic(type)) {
      report(
        'unsafe-predicate',
        'by',
        `rows are ordered by a value of type ${type}`,
        'Order by what a task makes of it, for example its Score.',
      );
    }
    by.push({ expression, descending: direction === 'desc' });
  }
  return input && { kind: 'topk', input, k: good ? k : 1, by, per };
}

/** An attribute by which rows are told apart: there, and of a type whose values can be. */
function checkKey(name: string, schema: Schema | undefined, field: string, report: Reporter): void {
  if (schema === undefined) return;
  const type = typeOfExpression(column(name), schema, issuesTo(field, report));
  if (type === 'Image' || type === 'Audio' || type === 'Vector') {
    report(
      'unsafe-predicate',
      field,
      `'${name}' is of type ${type}`,
      'Group by structured attributes, for example the key of the relation.',
    );
  }
}

function namesIn(fields: Fields, field: string, report: Reporter): readonly string[] {
  const value = fields[field] ?? [];
  if (isTexts(value)) return value;
  report('malformed', field, `'${field}' is not a list of texts`, 'Write ["…", "…"].');
  return [];
}

function predicateIn({ fields, report }: Reading, field: string, schema: Schema | undefined): Expression {
  const given = fields[field];
  if (given === undefined && field === 'on') return literal(true);
  const expression = expressionFrom(given, field, report);
  if (schema !== undefined) checkPredicate(expression, schema, issuesTo(field, report));
  return expression;
}

/** TRUE for a text that cannot be read: the fault has been reported. */
function expressionFrom(text: JsonValue | undefined, field: string, report: Reporter): Expression {
  const parsed =
    typeof text === 'string'
      ? parseExpression(text)
      : ({ ok: false, error: `${short(text)} is not the text of an expression` } as const);
  if (parsed.ok) return parsed.expression;
  report('bad-expression', field, parsed.error, "Write SQL, for example: Answer = 'yes' AND Score >= threshold(0.5).");
  return literal(true);
}

function issuesTo(
  field: string,
  report: Reporter,
): (issue: { fault: Parameters<Reporter>[0]; message: string; hint: string }) => void {
  return ({ fault, message, hint }) => report(fault, field, message, hint);
}
