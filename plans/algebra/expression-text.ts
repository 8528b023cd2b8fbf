import { quoteName, quoteText } from '../relation/names.js';
import type { Expression, Literal } from './expression.js';
import { functions } from './functions.js';

/** What differs between the text of plans and DuckDB's SQL. */
interface Dialect {
  readonly column: (name: string) => string;
  readonly threshold: (value: number) => string;
  readonly call: (name: string, items: readonly string[]) => string;
}

const keywords = new Set(['and', 'or', 'not', 'is', 'in', 'null', 'true', 'false', 'like', 'between', 'threshold']);

const plan: Dialect = {
  column: (name) => (/^[A-Za-z_]\w*$/.test(name) && !keywords.has(name.toLowerCase()) ? name : quoteName(name)),
  threshold: (value) => `threshold(${numberText(value)})`,
  call: (name, items) => `${name}(${items.join(', ')})`,
};

const sql: Dialect = {
  column: quoteName,
  threshold: numberText,
  call: (name, items) => functions[name]?.sql?.(items) ?? plan.call(name, items),
};

/** How tightly each kind binds; a part that binds less than its place asks for is put in parentheses. */
const levels = { or: 1, and: 2, not: 3, compare: 4, null: 4, in: 4, sum: 5, product: 6, atom: 7 } as const;

/**
 * The text form, which {@link parseExpression} reads back.
 *
 * @example Answer = 'yes' AND Score >= threshold(0.5)
 */
export function expressionText(expression: Expression): string {
  return print(expression, plan, 0);
}

/** The expression as DuckDB reads it, thresholds at the value they have. */
export function expressionSql(expression: Expression): string {
  return print(expression, sql, 0);
}

/** A name as the text of plans shows it. */
export function nameText(name: string): string {
  return plan.column(name);
}

function print(expression: Expression, dialect: Dialect, least: number): string {
  const text = bare(expression, dialect);
  return levelOf(expression) < least ? `(${text})` : text;
}

function levelOf(expression: Expression): number {
  switch (expression.kind) {
    case 'arithmetic':
      return expression.operator === '+' || expression.operator === '-' ? levels.sum : levels.product;
    case 'column':
    case 'literal':
    case 'threshold':
    case 'call':
      return levels.atom;
    case 'and':
    case 'or':
    case 'not':
    case 'null':
    case 'in':
    case 'compare':
      return levels[expression.kind];
  }
}

function bare(expression: Expression, dialect: Dialect): string {
  const part = (item: Expression, least: number): string => print(item, dialect, least);
  switch (expression.kind) {
    case 'column':
      return dialect.column(expression.name);
    case 'literal':
      return literalText(expression.value);
    case 'threshold':
      return dialect.threshold(expression.value);
    case 'compare':
      return `${part(expression.left, levels.sum)} ${expression.operator} ${part(expression.right, levels.sum)}`;
    case 'arithmetic': {
      const level = levelOf(expression);
      return `${part(expression.left, level)} ${expression.operator} ${part(expression.right, level + 1)}`;
    }
    case 'and':
    case 'or': {
      const level = levels[expression.kind] + 1;
      if (expression.items.length === 0) return literalText(expression.kind === 'and');
      return expression.items.map((item) => part(item, level)).join(` ${expression.kind.toUpperCase()} `);
    }
    case 'not':
      return `NOT ${part(expression.item, levels.not)}`;
    case 'null':
      return `${part(expression.item, levels.sum)} IS NULL`;
    case 'in':
      return `${part(expression.item, levels.sum)} IN (${expression.options.map((item) => part(item, 0)).join(', ')})`;
    case 'call':
      return dialect.call(
        expression.name,
        expression.items.map((item) => part(item, 0)),
      );
  }
}

function literalText(value: Literal): string {
  if (typeof value === 'string') return quoteText(value);
  return typeof value === 'number' ? numberText(value) : String(value);
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '0' : String(value);
}
