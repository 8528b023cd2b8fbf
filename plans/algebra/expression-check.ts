import { attributeOf, type Schema } from '../relation/schema.js';
import { type AttributeType, classOf, isSemantic, type TypeClass } from '../relation/types.js';
import type { Expression, Literal } from './expression.js';
import { expressionText } from './expression-text.js';
import { accepts, functions } from './functions.js';
import { didYouMean } from '../sql/nearest.js';

export type ExpressionFault = 'missing-attribute' | 'type-mismatch' | 'unsafe-predicate' | 'unknown-function';

/** One thing that is wrong with an expression. */
export interface ExpressionIssue {
  readonly fault: ExpressionFault;
  readonly message: string;
  readonly hint: string;
}

type Report = (issue: ExpressionIssue) => void;

/** A type that fits everything: that of NULL, and of a part in which a fault has been reported already. */
type Found = AttributeType | undefined;

/**
 * The type of an expression over the attributes of `schema`; undefined where it is NULL or cannot be told. Everything
 * that is wrong goes to `report`, all of it and not only the first.
 */
export function typeOfExpression(expression: Expression, schema: Schema, report: Report): Found {
  const part = (item: Expression): Found => typeOfExpression(item, schema, report);
  switch (expression.kind) {
    case 'column':
      return columnType(expression.name, schema, report);
    case 'literal':
      return literalType(expression.value);
    case 'threshold':
      return 'DOUBLE';
    case 'compare':
      return compareType(expression, [part(expression.left), part(expression.right)], report);
    case 'arithmetic':
      return arithmeticType(expression, [part(expression.left), part(expression.right)], report);
    case 'and':
    case 'or':
      for (const item of expression.items) mustBe('boolean', part(item), item, report);
      return 'BOOLEAN';
    case 'not':
      mustBe('boolean', part(expression.item), expression.item, report);
      return 'BOOLEAN';
    case 'null':
      part(expression.item);
      return 'BOOLEAN';
    case 'in': {
      const type = part(expression.item);
      for (const option of expression.options) {
        compareType({ operator: '=', left: expression.item, right: option }, [type, part(option)], report);
      }
      return 'BOOLEAN';
    }
    case 'call':
      return callType(expression.name, expression.items, expression.items.map(part), report);
  }
}

/** The predicate's faults, that of not being a boolean among them. */
export function checkPredicate(predicate: Expression, schema: Schema, report: Report): void {
  mustBe('boolean', typeOfExpression(predicate, schema, report), predicate, report);
}

function columnType(name: string, schema: Schema, report: Report): Found {
  const found = attributeOf(schema, name);
  if (found !== undefined) return found.type;
  const names = schema.map((attribute) => attribute.name);
  report({
    fault: 'missing-attribute',
    message: `there is no attribute '${name}' here`,
    hint: `${didYouMean(name, names)} The attributes here are: ${names.join(', ')}.`.trim(),
  });
  return undefined;
}

function literalType(value: Literal): Found {
  if (value === null) return undefined;
  if (typeof value === 'string') return 'VARCHAR';
  if (typeof value === 'boolean') return 'BOOLEAN';
  return Number.isInteger(value) ? 'BIGINT' : 'DOUBLE';
}

interface Comparison {
  readonly operator: string;
  readonly left: Expression;
  readonly right: Expression;
}

function compareType(comparison: Comparison, types: readonly [Found, Found], report: Report): Found {
  const [left, right] = types;
  const ordered = comparison.operator !== '=' && comparison.operator !== '<>';
  for (const type of [left, right]) {
    if (type === undefined || !isSemantic(type) || (!ordered && type !== 'Vector')) continue;
    report({
      fault: 'unsafe-predicate',
      message: `'${comparison.operator}' compares a value of type ${type}, in: ${textOf(comparison)}`,
      hint: unsafeHint(type),
    });
    return 'BOOLEAN';
  }
  if (left !== undefined && right !== undefined && !comparable(left, right, comparison)) {
    report({
      fault: 'type-mismatch',
      message: `${left} is compared with ${right}, in: ${textOf(comparison)}`,
      hint: 'Compare values of one kind; to_number() and to_text() convert.',
    });
  }
  return 'BOOLEAN';
}

function unsafeHint(type: AttributeType): string {
  if (type === 'Vector') return 'Compare vectors by their similarity: cosine(a, b) >= threshold(0.5).';
  return `Values of type ${type} have no order. Let a task answer about them, and compare what it makes (Answer, Label, Score).`;
}

function textOf({ operator, left, right }: Comparison): string {
  return `${expressionText(left)} ${operator} ${expressionText(right)}`;
}

function comparable(left: AttributeType, right: AttributeType, { left: from, right: to }: Comparison): boolean {
  const [one, other] = [classOf(left), classOf(right)];
  if (one === 'nested' && other === 'nested') return left === right;
  if (one === other) return true;
  // DuckDB reads a quoted constant as the type it is compared with
  return (
    (one === 'time' && to.kind === 'literal' && other === 'text') ||
    (other === 'time' && from.kind === 'literal' && one === 'text')
  );
}

function arithmeticType(
  { operator, left, right }: Comparison,
  [first, second]: readonly [Found, Found],
  report: Report,
): Found {
  mustBe('number', first, left, report);
  mustBe('number', second, right, report);
  return operator === '/'
    ? 'DOUBLE'
    : wider(left.kind === 'literal' ? second : first, right.kind === 'literal' ? first : second);
}

const integers: readonly AttributeType[] = ['TINYINT', 'SMALLINT', 'INTEGER', 'BIGINT', 'HUGEINT'];

/** Of two integer types the wider, as DuckDB has it; DOUBLE for other numbers. */
function wider(left: Found, right: Found): AttributeType {
  const [one, other] = [integers.indexOf(left ?? 'BIGINT'), integers.indexOf(right ?? 'BIGINT')];
  return one < 0 || other < 0 ? 'DOUBLE' : (integers[Math.max(one, other)] ?? 'BIGINT');
}

function callType(name: string, items: readonly Expression[], types: readonly Found[], report: Report): Found {
  const row = Object.hasOwn(functions, name) ? functions[name] : undefined;
  if (row === undefined) {
    report({
      fault: 'unknown-function',
      message: `there is no function '${name}'`,
      hint: `The functions are: ${Object.keys(functions).join(', ')}. What needs meaning is a task, not a function.`,
    });
    return undefined;
  }
  const least = row.takes.length - (row.optional ?? 0);
  const most = row.variadic ? Infinity : row.takes.length;
  if (items.length < least || items.length > most) {
    report({
      fault: 'type-mismatch',
      message: `${name}() is given ${items.length} arguments`,
      hint: `It takes ${least === most ? String(least) : `${least} or more`}: ${row.takes.join(', ')}.`,
    });
    return row.gives(types.map((type) => type ?? 'VARCHAR'));
  }
  items.forEach((item, index) => {
    const takes = row.takes[Math.min(index, row.takes.length - 1)] ?? 'any';
    const type = types[index];
    if (type === undefined || accepts(takes, type)) return;
    report({
      fault: isSemantic(type) ? 'unsafe-predicate' : 'type-mismatch',
      message: `${name}() takes a ${takes}, and ${expressionText(item)} is ${type}`,
      hint: isSemantic(type) ? unsafeHint(type) : 'to_number() and to_text() convert.',
    });
  });
  return row.gives(types.map((type) => type ?? 'VARCHAR'));
}

function mustBe(wanted: TypeClass, type: Found, expression: Expression, report: Report): void {
  if (type === undefined || classOf(type) === wanted) return;
  report({
    fault: 'type-mismatch',
    message: `${expressionText(expression)} is ${type}, and a ${wanted} is needed`,
    hint: wanted === 'boolean' ? "Write a comparison, for example: Answer = 'yes'." : 'to_number() converts.',
  });
}
