import fc from 'fast-check';
import {
  applyTask,
  group,
  join,
  outputName,
  project,
  scan,
  select,
  topk,
  union,
} from '../../../plans/algebra/build.js';
import { call, column, compare, type Expression, literal, not, threshold } from '../../../plans/algebra/expression.js';
import type { Operator } from '../../../plans/algebra/operator.js';
import { schemaOf } from '../../../plans/algebra/walk.js';
import type { Attribute, RelationSchema } from '../../../plans/relation/schema.js';
import { classOf } from '../../../plans/relation/types.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import { type Apply } from '../../../plans/algebra/operator.js';
import { hash, type Row, type Tables, type Tasks, type Value } from './evaluate.js';

export const relations: Readonly<Record<string, RelationSchema>> = {
  items: {
    schema: [
      { name: 'id', type: 'BIGINT' },
      { name: 'a', type: 'BIGINT' },
      { name: 's', type: 'VARCHAR' },
      { name: 'note', type: 'Text' },
      { name: 'photo', type: 'Image' },
    ],
    key: ['id'],
  },
  shops: {
    schema: [
      { name: 'sid', type: 'BIGINT' },
      { name: 'b', type: 'BIGINT' },
      { name: 'c', type: 'VARCHAR' },
    ],
    key: ['sid'],
  },
};

const small = fc.option(fc.integer({ min: 0, max: 3 }), { freq: 5 });
const word = fc.option(fc.constantFrom('', 'a', 'b', 'ab', 'B'), { freq: 5 });

/** Small tables over small domains, NULLs among them, so that joins and groups meet. */
export const tables: fc.Arbitrary<Tables> = fc.record({
  items: fc
    .array(fc.record({ a: small, s: word, note: word, photo: fc.constantFrom('p1', 'p2', 'p3') }), { maxLength: 6 })
    .map((rows) => rows.map((row, id) => ({ id, ...row }))),
  shops: fc
    .array(fc.record({ b: small, c: word }), { maxLength: 5 })
    .map((rows) => rows.map((row, sid) => ({ sid, ...row }))),
});

/** Choices that a plan is made of: shrinking them shrinks the plan. */
export const choices = fc.array(fc.nat(9_999), { minLength: 20, maxLength: 120 });

interface Source {
  /** A whole number from 0 to `count` − 1. */
  next(count: number): number;
  readonly left: boolean;
}

function sourceOf(numbers: readonly number[]): Source {
  let at = 0;
  return {
    next: (count) => (numbers[at++] ?? 0) % count,
    get left() {
      return at < numbers.length;
    },
  };
}

/** A DAG of at most `size` steps; with `tasks`, some of them are tasks. Operators are taken from all made so far, so parts are shared. */
export function planFrom(numbers: readonly number[], { size = 8, tasks: withTasks = false } = {}): Operator {
  const source = sourceOf(numbers);
  const made: Operator[] = ['items', 'shops'].map((name) => scan(name, relations[name]!));
  let fresh = 0;
  const name = (): string => `x${(fresh += 1)}`;
  const steps = withTasks ? [...relational, task, task, verdict, pairVerdict, filter] : relational;
  for (let step = 0; step < size && source.left; step += 1) {
    // later operators are taken more often, so that plans grow deep
    const pick = (): Operator => made[Math.max(source.next(made.length), source.next(made.length))]!;
    const next = steps[source.next(steps.length)]!(source, pick, name);
    if (next !== undefined && schemaOf(next).length <= 24) made.push(next);
  }
  return made.at(-1)!;
}

type Step = (source: Source, pick: () => Operator, name: () => string) => Operator | undefined;

const filter: Step = (source, pick) => {
  const input = pick();
  return select(input, predicate(source, schemaOf(input), 2));
};

const relational: readonly Step[] = [
  filter,
  (source, pick, name) => {
    const input = pick();
    const columns = schemaOf(input)
      .filter(() => source.next(4) > 0)
      .map((attribute) =>
        source.next(3) === 0 ? { name: name(), expression: column(attribute.name) } : attribute.name,
      );
    const number = oneOf(source, schemaOf(input), 'number');
    const computed =
      number === undefined
        ? []
        : [
            {
              name: name(),
              expression: { kind: 'arithmetic', operator: '+', left: column(number.name), right: literal(1) } as const,
            },
          ];
    return columns.length + computed.length === 0 ? undefined : project(input, [...columns, ...computed]);
  },
  (source, pick, name) => {
    const [left, other] = [pick(), pick()];
    const right = project(
      other,
      schemaOf(other).map((attribute) => ({ name: name(), expression: column(attribute.name) })),
    );
    const [a, b] = [oneOf(source, schemaOf(left), 'number'), oneOf(source, schemaOf(right), 'number')];
    const how = (['inner', 'inner', 'left', 'semi', 'anti'] as const)[source.next(5)]!;
    if (a === undefined || b === undefined) return undefined;
    const on = compare(column(a.name), '=', column(b.name));
    return join(
      left,
      right,
      source.next(3) === 0 ? { kind: 'and', items: [on, predicate(source, schemaOf(left), 1)] } : on,
      how,
    );
  },
  (source, pick, name) => {
    const input = pick();
    const keys = schemaOf(input)
      .filter(({ type }) => classOf(type) !== 'image' && source.next(3) === 0)
      .map((key) => key.name);
    const number = oneOf(source, schemaOf(input), 'number');
    const wanted = (['sum', 'avg', 'min', 'max', 'count_distinct', 'count'] as const)[source.next(6)]!;
    return group(input, keys, [
      { name: name(), aggregate: 'count' },
      ...(number === undefined ? [] : [{ name: name(), aggregate: wanted, of: number.name } as const]),
    ]);
  },
  (source, pick) => {
    const [left, right] = [pick(), pick()];
    const common = schemaOf(left)
      .filter(({ name: wanted, type }) => schemaOf(right).some((other) => other.name === wanted && other.type === type))
      .map((attribute) => attribute.name);
    if (common.length === 0) return undefined;
    return source.next(2) === 0 ? union(project(left, common), project(right, common)) : union(left, left);
  },
  (source, pick) => {
    const input = pick();
    const number = oneOf(source, schemaOf(input), 'number');
    const key = oneOf(source, schemaOf(input), 'number');
    const by = number === undefined ? [] : [{ expression: column(number.name), descending: source.next(2) === 0 }];
    return topk(input, 1 + source.next(3), by, key !== undefined && source.next(2) === 0 ? [key.name] : []);
  },
];

const taskNames = [
  'OpTxtQA',
  'OpImgVQA',
  'OpTxtCls',
  'OpTxtSplit',
  'OpTxtNER',
  'OpImgOCR',
  'OpImgCap',
  'OpTxtPairScore',
] as const;

const task: Step = (source, pick) => {
  const input = pick();
  const found = defaultCatalog.get(taskNames[source.next(taskNames.length)]!)!;
  const bind: Record<string, string> = {};
  for (const [slot, { type, optional }] of Object.entries(found.inputs)) {
    if (optional) continue;
    const attribute = oneOf(source, schemaOf(input), classOf(type)!);
    if (attribute === undefined) return undefined;
    bind[slot] = attribute.name;
  }
  const params = {
    ...(found.params?.['question'] ? { question: `q${source.next(3)}` } : {}),
    ...(found.params?.['labels'] ? { labels: ['yes', 'no'] } : {}),
  };
  return applyTask(found, input, { bind, params });
};

/** σ Answer = 'yes' over a question about a text or an image: what alternative templates look for. */
const verdict: Step = (source, pick) => yes(source, pick());

/** A verdict on the pairs of a product. */
const pairVerdict: Step = (source, pick, name) => {
  const [left, other] = [pick(), pick()];
  const right = project(
    other,
    schemaOf(other).map((attribute) => ({ name: name(), expression: column(attribute.name) })),
  );
  const [a, b] = [oneOf(source, schemaOf(left), 'text'), oneOf(source, schemaOf(right), 'text')];
  if (a === undefined || b === undefined) return undefined;
  const pairs = join(left, right);
  const questions = ['Do both tell of the same brand?', 'Is the sentiment opposite?'];
  const asked = applyTask(defaultCatalog.get('OpTxtQA')!, pairs, {
    bind: { text: a.name, context: b.name },
    params: { question: questions[source.next(2)]! },
  });
  return select(asked, compare(column(outputName(asked, 'Answer')), '=', literal('yes')));
};

function yes(source: Source, input: Operator): Operator | undefined {
  const image = oneOf(source, schemaOf(input), 'image');
  const text = oneOf(source, schemaOf(input), 'text');
  const params = { question: ['Is s set, as with Reebok?', 'Is it good?'][source.next(2)]! };
  const attribute = source.next(2) === 0 ? image : text;
  if (attribute === undefined) return undefined;
  const [name, slot] = attribute === image ? ['OpImgVQA', 'image'] : ['OpTxtQA', 'text'];
  const asked = applyTask(defaultCatalog.get(name)!, input, { bind: { [slot]: attribute.name }, params });
  return select(asked, compare(column(outputName(asked, 'Answer')), '=', literal('yes')));
}

function oneOf(source: Source, schema: readonly Attribute[], wanted: string): Attribute | undefined {
  const fitting = schema.filter(({ type }) => classOf(type) === wanted);
  return fitting[source.next(Math.max(1, fitting.length))];
}

function predicate(source: Source, schema: readonly Attribute[], depth: number): Expression {
  const kind = source.next(depth === 0 ? 3 : 6);
  const number = oneOf(source, schema, 'number');
  const text = oneOf(source, schema, 'text');
  if (kind >= 4)
    return {
      kind: kind === 4 ? 'and' : 'or',
      items: [predicate(source, schema, depth - 1), predicate(source, schema, depth - 1)],
    };
  if (kind === 3) return not(predicate(source, schema, depth - 1));
  if (kind === 0 && text !== undefined)
    return source.next(2) === 0
      ? { kind: 'in', item: column(text.name), options: [literal('a'), literal('yes')] }
      : compare(call('length', column(text.name)), '>', literal(source.next(3)));
  if (number === undefined) return literal(true);
  if (kind === 1) return { kind: 'null', item: column(number.name) };
  const operator = (['=', '<>', '<', '<=', '>', '>='] as const)[source.next(6)]!;
  return compare(column(number.name), operator, source.next(3) === 0 ? threshold(0.5) : literal(source.next(4)));
}

/** Every task of the catalog as a function of its inputs and parameters alone. */
export const fakeTasks: Tasks = Object.fromEntries([...defaultCatalog.keys()].map((name) => [name, fakeTask]));

function fakeTask(inputs: Readonly<Record<string, Value>>, apply: Apply): readonly Row[] {
  const given = Object.entries(inputs).sort(([a], [b]) => (a < b ? -1 : 1));
  if (given.some(([, value]) => value === null)) return apply.cardinality === 'one' ? [{}] : [];
  const seed = hash(JSON.stringify([apply.task, given, apply.params]));
  const count = apply.cardinality === 'one' ? 1 : apply.cardinality === 'many' ? seed % 4 : seed % 2;
  return Array.from({ length: count }, (_, index) =>
    Object.fromEntries(
      apply.outputs.map(({ from, type }) => [from, fakeValue(type, hash(`${seed} ${index} ${from}`), index)]),
    ),
  );
}

function fakeValue(type: string, seed: number, index: number): Value {
  if (type === 'DOUBLE') return (seed % 9) / 8;
  if (type === 'BIGINT') return index;
  if (type === 'Text' || type === 'VARCHAR') return ['yes', 'no', 'a', 'ab'][seed % 4]!;
  return `v${seed % 5}`;
}
