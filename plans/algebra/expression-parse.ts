import type { ArithmeticOperator, ComparisonOperator, Expression } from './expression.js';
import { call, column, compare, literal, not } from './expression.js';

export type ExpressionParse =
  | { readonly ok: true; readonly expression: Expression }
  | { readonly ok: false; readonly error: string };

/** Longest text that is read, in UTF-16 units, and the deepest nesting: drafts of models may be anything. */
const limits = { characters: 8000, depth: 60 } as const;

const token =
  /\s*(?:(?<number>\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|(?<string>'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")+")|(?<word>[A-Za-z_\u0080-\uffff][\w\u0080-\uffff.]*)|(?<sign><=|>=|<>|!=|==|\|\||[=<>+\-*/(),]))/y;

const comparisons: Readonly<Record<string, ComparisonOperator>> = {
  '=': '=',
  '==': '=',
  '<>': '<>',
  '!=': '<>',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

interface Token {
  readonly kind: 'number' | 'string' | 'quoted' | 'word' | 'sign' | 'end';
  readonly text: string;
}

class Unreadable extends Error {}

/**
 * Reads the SQL-like text of an expression: comparisons, AND, OR, NOT, IN, BETWEEN, LIKE, IS NULL, arithmetic, calls
 * and `threshold(0.5)`. Never throws. Queries of users are parsed by DuckDB; this is for predicates inside plans, which
 * must be read where no DuckDB is.
 *
 * @example parseExpression("Answer = 'yes' AND Score >= threshold(0.5)")
 */
export function parseExpression(text: string): ExpressionParse {
  if (text.length > limits.characters) {
    return { ok: false, error: `the expression is longer than ${limits.characters} characters` };
  }
  try {
    return { ok: true, expression: new Reader(tokensOf(text)).whole() };
  } catch (error) {
    if (error instanceof Unreadable) return { ok: false, error: error.message };
    throw error;
  }
}

function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    token.lastIndex = at;
    const match = token.exec(text);
    if (match === null) throw new Unreadable(`cannot read the expression at '${text.slice(at, at + 20).trim()}'`);
    at = token.lastIndex;
    for (const kind of ['number', 'string', 'quoted', 'word', 'sign'] as const) {
      const found = match.groups?.[kind];
      if (found !== undefined) tokens.push({ kind, text: found });
    }
  }
  return tokens;
}

class Reader {
  readonly #tokens: readonly Token[];
  #at = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#or();
    if (this.#peek().kind !== 'end') throw new Unreadable(`'${this.#peek().text}' is not expected here`);
    return expression;
  }

  #peek(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', text: 'the end' };
  }

  #next(): Token {
    const found = this.#peek();
    this.#at += 1;
    return found;
  }

  #takes(text: string): boolean {
    const found = this.#peek();
    if (found.kind !== 'sign' && found.kind !== 'word') return false;
    if (found.text.toLowerCase() !== text) return false;
    this.#at += 1;
    return true;
  }

  #expect(text: string): void {
    if (!this.#takes(text)) throw new Unreadable(`'${text}' is expected where '${this.#peek().text}' stands`);
  }

  #nested<T>(read: () => T): T {
    this.#depth += 1;
    if (this.#depth > limits.depth) throw new Unreadable(`the expression is nested more than ${limits.depth} deep`);
    const result = read();
    this.#depth -= 1;
    return result;
  }

  #or(): Expression {
    return this.#nested(() => this.#chain('or', () => this.#and()));
  }

  #and(): Expression {
    return this.#chain('and', () => this.#not());
  }

  #chain(kind: 'and' | 'or', read: () => Expression): Expression {
    const first = read();
    if (!this.#takes(kind)) return first;
    const items = [first];
    do items.push(read());
    while (this.#takes(kind));
    return { kind, items };
  }

  #not(): Expression {
    return this.#takes('not') ? this.#nested(() => not(this.#not())) : this.#comparison();
  }

  #comparison(): Expression {
    const left = this.#sum();
    const operator = this.#peek().kind === 'sign' ? comparisons[this.#peek().text] : undefined;
    if (operator !== undefined) {
      this.#at += 1;
      return compare(left, operator, this.#sum());
    }
    if (this.#takes('is')) {
      const negated = this.#takes('not');
      this.#expect('null');
      return negated ? not({ kind: 'null', item: left }) : { kind: 'null', item: left };
    }
    const negated = this.#takes('not');
    const found = this.#wordComparison(left);
    if (found === undefined) {
      if (negated) throw new Unreadable("IN, LIKE or BETWEEN is expected after 'NOT'");
      return left;
    }
    return negated ? not(found) : found;
  }

  #wordComparison(left: Expression): Expression | undefined {
    if (this.#takes('in')) return { kind: 'in', item: left, options: this.#items() };
    if (this.#takes('like')) return call('like', left, this.#sum());
    if (!this.#takes('between')) return undefined;
    const low = this.#sum();
    this.#expect('and');
    return { kind: 'and', items: [compare(left, '>=', low), compare(left, '<=', this.#sum())] };
  }

  #sum(): Expression {
    return this.#arithmetic(['+', '-', '||'], () => this.#arithmetic(['*', '/'], () => this.#unary()));
  }

  #arithmetic(signs: readonly string[], read: () => Expression): Expression {
    let left = read();
    for (;;) {
      const sign = this.#peek();
      if (sign.kind !== 'sign' || !signs.includes(sign.text)) return left;
      this.#at += 1;
      const right = read();
      left =
        sign.text === '||'
          ? call('concat', left, right)
          : { kind: 'arithmetic', operator: sign.text as ArithmeticOperator, left, right };
    }
  }

  #unary(): Expression {
    if (!this.#takes('-')) return this.#atom();
    const item = this.#nested(() => this.#unary());
    if (item.kind === 'literal' && typeof item.value === 'number') return literal(-item.value);
    return { kind: 'arithmetic', operator: '-', left: literal(0), right: item };
  }

  #atom(): Expression {
    const found = this.#next();
    switch (found.kind) {
      case 'number':
        return literal(Number(found.text));
      case 'string':
        return literal(found.text.slice(1, -1).replaceAll("''", "'"));
      case 'quoted':
        return column(found.text.slice(1, -1).replaceAll('""', '"'));
      case 'word':
        return this.#word(found.text);
      case 'sign':
        if (found.text !== '(') break;
        return this.#closed(this.#or());
      case 'end':
        break;
    }
    throw new Unreadable(`a value is expected where '${found.text}' stands`);
  }

  #word(text: string): Expression {
    const lower = text.toLowerCase();
    if (lower === 'true' || lower === 'false') return literal(lower === 'true');
    if (lower === 'null') return literal(null);
    if (this.#peek().text !== '(' || this.#peek().kind !== 'sign') return column(text);
    const items = this.#items();
    if (lower !== 'threshold') return call(lower, ...items);
    const [value] = items;
    if (value?.kind !== 'literal' || typeof value.value !== 'number') {
      throw new Unreadable('threshold takes one number, as in threshold(0.5)');
    }
    return { kind: 'threshold', value: value.value };
  }

  #items(): readonly Expression[] {
    this.#expect('(');
    if (this.#takes(')')) return [];
    const items = [this.#or()];
    while (this.#takes(',')) items.push(this.#or());
    this.#expect(')');
    return items;
  }

  #closed(expression: Expression): Expression {
    this.#expect(')');
    return expression;
  }
}
