import type { JsonValue } from '../protocol/json.js';
import { columnsOf, compare, conjuncts, type Expression, mapColumns, column } from './expression.js';
import { expressionText } from './expression-text.js';
import type { Apply, Binding, Join, Operator, OperatorKind, OperatorOf } from './operator.js';
import { sha256 } from './sha256.js';
import { inputsOf } from './walk.js';

/** Names of attributes as the canonical form has them: what an attribute is made of, whatever a plan calls it. */
type Names = ReadonlyMap<string, string>;

interface Form {
  readonly digest: string;
  readonly names: Names;
}

/**
 * The hash of a plan's canonical form. Plans that differ only in what they call inner attributes, in the order of
 * conjuncts, of joined sides, of united inputs, of independent neighbouring tasks, or in how the DAG is shared, have the
 * same hash; so have equal plans in every release.
 */
export function planHash(root: Operator): string {
  const { digest, names } = formOf(root);
  const outputs = [...names].map(([name, made]) => `${name}=${made}`).sort();
  return sha256(JSON.stringify([1, digest, outputs]));
}

const forms = new WeakMap<Operator, Form>();

function formOf(operator: Operator): Form {
  const known = forms.get(operator);
  if (known !== undefined) return known;
  const form = (canonical[operator.kind] as (operator: Operator) => Form)(operator);
  forms.set(operator, form);
  return form;
}

const canonical: { readonly [K in OperatorKind]: (operator: OperatorOf<K>) => Form } = {
  scan: ({ relation, schema, key }) => {
    const digest = digestOf([
      'scan',
      relation,
      schema.map(({ name, type }) => `${name} ${type}`).sort(),
      [...key].sort(),
    ]);
    return { digest, names: new Map(schema.map(({ name }) => [name, `${relation}.${name}`])) };
  },
  select: (operator) => {
    const predicates: string[] = [];
    let below: Operator = operator;
    // neighbouring σ are one σ of all their conjuncts
    while (below.kind === 'select') {
      const { names } = formOf(base(below));
      predicates.push(...conjuncts(below.predicate).map((item) => normalText(item, names)));
      below = below.input;
    }
    const input = formOf(below);
    return predicates.length === 0
      ? input
      : { digest: digestOf(['select', unique(predicates), input.digest]), names: input.names };
  },
  project: ({ input, columns }) => {
    const below = formOf(input);
    const names = new Map(
      columns.map(({ name, expression }) => [
        name,
        expression.kind === 'column'
          ? nameIn(below.names, expression.name)
          : `=${shortDigest(['computed', normalText(expression, below.names)])}`,
      ]),
    );
    const kept = [...names.values()].sort();
    const same = kept.join('\n') === [...below.names.values()].sort().join('\n');
    return { digest: same ? below.digest : digestOf(['project', kept, below.digest]), names };
  },
  join: joinForm,
  group: ({ input, keys, aggregates }) => {
    const { digest: below, names } = formOf(input);
    const made = aggregates.map(({ aggregate, of, order }) =>
      JSON.stringify([
        aggregate,
        of === undefined ? null : nameIn(names, of),
        order === undefined ? null : nameIn(names, order),
      ]),
    );
    const digest = digestOf(['group', keys.map((key) => nameIn(names, key)).sort(), unique(made), below]);
    return {
      digest,
      names: new Map([
        ...keys.map((key) => [key, nameIn(names, key)] as const),
        ...aggregates.map(({ name }, index) => [name, `${digest.slice(0, 16)}.${made[index] ?? ''}`] as const),
      ]),
    };
  },
  union: ({ inputs }) => {
    const sides = inputs.map((input) => {
      const { digest, names } = formOf(input);
      return JSON.stringify([digest, [...names].map(([name, made]) => `${name}=${made}`).sort()]);
    });
    const digest = digestOf(['union', sides.sort()]);
    const [first] = inputs;
    const names = first === undefined ? [] : [...formOf(first).names.keys()];
    return { digest, names: new Map(names.map((name) => [name, `${digest.slice(0, 16)}.${name}`])) };
  },
  topk: ({ input, by, k, per }) => {
    const below = formOf(input);
    const order = by.map(
      ({ expression, descending }) => `${normalText(expression, below.names)}${descending ? ' DESC' : ''}`,
    );
    const groups = per.map((name) => nameIn(below.names, name)).sort();
    // ties are broken by the attributes in order of their names, so the names are part of what a top-k means
    const names = [...below.names].map(([name, made]) => `${name}=${made}`).sort();
    return { digest: digestOf(['topk', order, k, groups, names, below.digest]), names: below.names };
  },
  apply: (operator) => {
    const chain: Apply[] = [];
    let below: Operator = operator;
    while (below.kind === 'apply') {
      chain.unshift(below);
      below = below.input;
    }
    const bottom = formOf(below);
    const names = new Map(bottom.names);
    // what a task is made of names all that it depends on, so the order of the chain need not be kept
    const tasks = chain.map((task) => {
      const made = shortDigest(['task', task.task, bindingsOf(task, names), sorted(task.params), outputTypes(task)]);
      for (const { from, name } of task.outputs) names.set(name, `${made}.${from}`);
      return made;
    });
    return { digest: digestOf(['apply', tasks.sort(), bottom.digest]), names };
  },
};

/** What lies under the σ that stand on one another. */
function base(operator: Operator): Operator {
  let below = operator;
  while (below.kind === 'select') below = below.input;
  return below;
}

function joinForm(operator: Join): Form {
  const [left, right] = inputsOf(operator).map(formOf) as [Form, Form];
  const swap = operator.how === 'inner' && right.digest < left.digest;
  const mark = (form: Form, side: string): Names =>
    new Map([...form.names].map(([name, made]) => [name, `${side}:${made}`]));
  const leftNames = mark(left, swap ? 'r' : 'l');
  const rightNames = mark(right, swap ? 'l' : 'r');
  const both = new Map([...leftNames, ...rightNames]);
  const on = unique(conjuncts(operator.on).map((item) => normalText(item, both)));
  const sides = swap ? [right.digest, left.digest] : [left.digest, right.digest];
  const kept = operator.how === 'inner' || operator.how === 'left' ? both : leftNames;
  return { digest: digestOf(['join', operator.how, on, sides]), names: kept };
}

function bindingsOf({ bind }: Apply, names: Names): JsonValue {
  const texts = Object.entries(bind).map(([slot, binding]: [string, Binding]) => [
    slot,
    'attribute' in binding ? nameIn(names, binding.attribute) : { text: binding.text },
  ]);
  return sorted(Object.fromEntries(texts) as { readonly [key: string]: JsonValue });
}

function outputTypes({ outputs }: Apply): JsonValue {
  return outputs.map(({ from, type }) => `${from} ${type}`).sort();
}

function nameIn(names: Names, name: string): string {
  return names.get(name) ?? `?${name}`;
}

/** An expression's text over canonical names, its commutative parts in order of their text. */
function normalText(expression: Expression, names: Names): string {
  return expressionText(
    normal(
      columnsOf(expression).size === 0 ? expression : mapColumns(expression, (name) => column(nameIn(names, name))),
    ),
  );
}

const flipped = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' } as const;

function normal(expression: Expression): Expression {
  switch (expression.kind) {
    case 'compare': {
      const [left, right] = [normal(expression.left), normal(expression.right)];
      if (expressionText(left) <= expressionText(right)) return { ...expression, left, right };
      const { operator } = expression;
      return compare(right, operator === '=' || operator === '<>' ? operator : flipped[operator], left);
    }
    case 'and':
    case 'or': {
      const { kind } = expression;
      const flat = expression.items.map(normal).flatMap((item) => (item.kind === kind ? item.items : [item]));
      const byText = new Map(flat.map((item) => [expressionText(item), item]));
      const items = [...byText.keys()].sort().flatMap((text) => byText.get(text) ?? []);
      const [only] = items;
      return items.length === 1 && only !== undefined ? only : { kind, items };
    }
    case 'not':
      return { ...expression, item: normal(expression.item) };
    case 'null':
      return { ...expression, item: normal(expression.item) };
    case 'in': {
      const byText = new Map(expression.options.map((item) => [expressionText(normal(item)), normal(item)]));
      const options = [...byText.keys()].sort().flatMap((text) => byText.get(text) ?? []);
      return { ...expression, item: normal(expression.item), options };
    }
    case 'arithmetic':
      return { ...expression, left: normal(expression.left), right: normal(expression.right) };
    case 'call':
      return { ...expression, items: expression.items.map(normal) };
    case 'column':
    case 'literal':
    case 'threshold':
      return expression;
  }
}

function unique(texts: readonly string[]): readonly string[] {
  return [...new Set(texts)].sort();
}

/** Objects with their keys in code-unit order. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
}

function digestOf(value: JsonValue): string {
  return sha256(JSON.stringify(value));
}

function shortDigest(value: JsonValue): string {
  return digestOf(value).slice(0, 16);
}
