/**
 * Expressions of σ, π, ⋈ and top-k: deterministic, and over structured attributes or the raw content of semantic ones
 * (CADENZA §3). They carry no meaning-based predicate: that is what tasks are for.
 */
export type Literal = null | boolean | number | string;

export type ComparisonOperator = '=' | '<>' | '<' | '<=' | '>' | '>=';
export type ArithmeticOperator = '+' | '-' | '*' | '/';

export type Expression =
  | { readonly kind: 'column'; readonly name: string }
  | { readonly kind: 'literal'; readonly value: Literal }
  /** A number that the physical planner may tune; `value` is where it starts. CADENZA's λ. */
  | { readonly kind: 'threshold'; readonly value: number }
  | {
      readonly kind: 'compare';
      readonly operator: ComparisonOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | {
      readonly kind: 'arithmetic';
      readonly operator: ArithmeticOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'and' | 'or'; readonly items: readonly Expression[] }
  | { readonly kind: 'not'; readonly item: Expression }
  | { readonly kind: 'null'; readonly item: Expression }
  | { readonly kind: 'in'; readonly item: Expression; readonly options: readonly Expression[] }
  | { readonly kind: 'call'; readonly name: string; readonly items: readonly Expression[] };

export type ExpressionKind = Expression['kind'];

type Children = {
  readonly [K in ExpressionKind]: (expression: Extract<Expression, { kind: K }>) => readonly Expression[];
};

const logical = (expression: { readonly items: readonly Expression[] }): readonly Expression[] => expression.items;
const pair = (expression: { readonly left: Expression; readonly right: Expression }): readonly Expression[] => [
  expression.left,
  expression.right,
];

const children: Children = {
  column: () => [],
  literal: () => [],
  threshold: () => [],
  compare: pair,
  arithmetic: pair,
  and: logical,
  or: logical,
  not: ({ item }) => [item],
  null: ({ item }) => [item],
  in: ({ item, options }) => [item, ...options],
  call: logical,
};

export function partsOf(expression: Expression): readonly Expression[] {
  return (children[expression.kind] as (expression: Expression) => readonly Expression[])(expression);
}

/** Names of all columns that an expression reads. */
export function columnsOf(expression: Expression, into = new Set<string>()): ReadonlySet<string> {
  if (expression.kind === 'column') into.add(expression.name);
  for (const part of partsOf(expression)) columnsOf(part, into);
  return into;
}

/** The same expression with every column replaced by what `replace` gives. */
export function mapColumns(expression: Expression, replace: (name: string) => Expression): Expression {
  const map = (part: Expression): Expression => mapColumns(part, replace);
  switch (expression.kind) {
    case 'column':
      return replace(expression.name);
    case 'literal':
    case 'threshold':
      return expression;
    case 'compare':
    case 'arithmetic':
      return { ...expression, left: map(expression.left), right: map(expression.right) };
    case 'and':
    case 'or':
    case 'call':
      return { ...expression, items: expression.items.map(map) };
    case 'not':
    case 'null':
      return { ...expression, item: map(expression.item) };
    case 'in':
      return { ...expression, item: map(expression.item), options: expression.options.map(map) };
  }
}

/** Conjuncts of a predicate, nested ones too; none for TRUE. */
export function conjuncts(expression: Expression): readonly Expression[] {
  if (expression.kind === 'and') return expression.items.flatMap(conjuncts);
  return isTrue(expression) ? [] : [expression];
}

export function isTrue(expression: Expression): boolean {
  return expression.kind === 'literal' && expression.value === true;
}

export const column = (name: string): Expression => ({ kind: 'column', name });
export const literal = (value: Literal): Expression => ({ kind: 'literal', value });
export const threshold = (value: number): Expression => ({ kind: 'threshold', value });
export const compare = (left: Expression, operator: ComparisonOperator, right: Expression): Expression => ({
  kind: 'compare',
  operator,
  left,
  right,
});
export const call = (name: string, ...items: readonly Expression[]): Expression => ({ kind: 'call', name, items });
export const not = (item: Expression): Expression => ({ kind: 'not', item });

/** Conjunction of what is given; TRUE of nothing. */
export function allOf(items: readonly Expression[]): Expression {
  const flat = items.flatMap(conjuncts);
  const [first] = flat;
  if (first === undefined) return literal(true);
  return flat.length === 1 ? first : { kind: 'and', items: flat };
}
