/**
 * Runs a placement tree on small tables, naively: nested loops, three-valued logic, answers decided by the prompt. Counts
 * the distinct prompts of each call, as function caching would ask them.
 */
import { columnsOf } from '../../../plans/placement/columns.js';
import type { Condition, SemanticCall } from '../../../plans/placement/condition.js';
import type { PlanNode } from '../../../plans/placement/tree.js';

export type Value = number | string | null;
export type Tuple = Readonly<Record<string, Value>>;
export type Truth = boolean | null;

export interface World {
  /** Relation → its tuples. */
  readonly tables: Readonly<Record<string, readonly Tuple[]>>;
  /** What the model says to a prompt without NULLs. */
  readonly answer: (call: string, values: readonly Value[]) => Truth;
  /** Whether a plain condition holds. */
  readonly holds: (condition: string, values: readonly Value[]) => Truth;
  /** Call → the distinct prompts so far. */
  readonly asked: Map<string, Set<string>>;
}

/** The tuples that a node gives. */
export function evaluate(node: PlanNode, world: World): readonly Tuple[] {
  switch (node.kind) {
    case 'relation':
      return world.tables[node.relation]!;
    case 'filter':
    case 'where':
    case 'semantic-filter':
      return evaluate(node.input, world).filter((tuple) => truth(node.condition, tuple, world) === true);
    case 'project':
      return evaluate(node.input, world).map((tuple) => ({
        ...only(tuple, node.keeps),
        ...Object.fromEntries(
          node.makes.map(({ column, reads, copy }) => [
            column,
            copy === true ? tuple[reads[0]!]! : computed(column, reads, tuple),
          ]),
        ),
      }));
    case 'join':
    case 'semantic-join':
      return joined(node, evaluate(node.left, world), evaluate(node.right, world), world);
    case 'aggregate':
      return [...groups(evaluate(node.input, world), node.keys).values()].map((group) => ({
        ...only(group[0]!, node.keys),
        ...Object.fromEntries(node.makes.map(({ column }) => [column, group.length])),
      }));
    case 'distinct':
      return [...groups(evaluate(node.input, world), node.columns).values()].map(([first]) =>
        only(first!, node.columns),
      );
    case 'window': {
      const tuples = evaluate(node.input, world);
      return tuples.map((tuple) => ({
        ...tuple,
        ...Object.fromEntries(node.makes.map(({ column }) => [column, tuples.length])),
      }));
    }
    case 'limit':
    case 'sample':
      return inOrder(evaluate(node.input, world)).slice(0, 'rows' in node ? node.rows : 0);
    case 'order':
    case 'fence':
      return evaluate(node.input, world);
    case 'semantic-projection':
      return evaluate(node.input, world).map((tuple) => ({
        ...tuple,
        [node.makes]: answered(node.call, tuple, world),
      }));
    case 'set':
    case 'unnest':
      throw new Error(`not evaluated: ${node.kind}`);
  }
}

/** The bag of a result, as sorted text. */
export function bag(tuples: readonly Tuple[], columns: readonly string[]): readonly string[] {
  return tuples.map((tuple) => JSON.stringify(columns.map((column) => tuple[column] ?? null))).sort();
}

/** Distinct prompts of each call while a tree runs, and its result. */
export function run(
  root: PlanNode,
  output: readonly string[],
  world: Omit<World, 'asked'>,
): { readonly result: readonly string[]; readonly prompts: ReadonlyMap<string, number>; readonly calls: number } {
  const asked = new Map<string, Set<string>>();
  const result = bag(evaluate(root, { ...world, asked }), output);
  const prompts = new Map([...asked].map(([call, keys]) => [call, keys.size]));
  return { result, prompts, calls: [...prompts.values()].reduce((sum, count) => sum + count, 0) };
}

/** Every tuple in an order that does not depend on the plan: LIMIT then means the same everywhere. */
function inOrder(tuples: readonly Tuple[]): readonly Tuple[] {
  const keys = Object.keys(tuples[0] ?? {})
    .filter((column) => column.startsWith('r'))
    .sort();
  const key = (tuple: Tuple): string => JSON.stringify(keys.map((column) => tuple[column]));
  return [...tuples].sort((a, b) => (key(a) < key(b) ? -1 : 1));
}

function only(tuple: Tuple, columns: readonly string[]): Tuple {
  return Object.fromEntries(columns.map((column) => [column, tuple[column] ?? null]));
}

function groups(tuples: readonly Tuple[], columns: readonly string[]): Map<string, Tuple[]> {
  const found = new Map<string, Tuple[]>();
  for (const tuple of tuples) {
    const key = JSON.stringify(columns.map((column) => tuple[column]));
    found.set(key, [...(found.get(key) ?? []), tuple]);
  }
  return found;
}

function computed(column: string, reads: readonly string[], tuple: Tuple): Value {
  return reads.some((read) => tuple[read] === null) ? null : `${column}(${reads.map((read) => tuple[read]).join()})`;
}

function plain(text: string, reads: readonly string[], tuple: Tuple, world: World): Truth {
  const values = reads.map((read) => tuple[read] ?? null);
  return values.includes(null) ? null : world.holds(text, values);
}

function answered(call: SemanticCall, tuple: Tuple, world: World): Value {
  const answer = ask(call, tuple, world);
  return answer === null ? null : String(answer);
}

function ask(call: SemanticCall, tuple: Tuple, world: World): Truth {
  if (call.reads.some((read) => !(read in tuple))) throw new Error(`${call.id} reads a column that is not there`);
  const values = call.reads.map((read) => tuple[read] ?? null);
  if (values.includes(null)) return null;
  const prompts = world.asked.get(call.id) ?? new Set();
  world.asked.set(call.id, prompts.add(JSON.stringify(values)));
  return world.answer(call.id, values);
}

export function truth(condition: Condition, tuple: Tuple, world: World): Truth {
  switch (condition.kind) {
    case 'call':
      return ask(condition.call, tuple, world);
    case 'plain':
      return plain(condition.text, condition.reads, tuple, world);
    case 'not': {
      const part = truth(condition.part, tuple, world);
      return part === null ? null : !part;
    }
    case 'and':
    case 'or': {
      const parts = condition.parts.map((part) => truth(part, tuple, world));
      const decisive = condition.kind === 'or';
      if (parts.includes(decisive)) return decisive;
      return parts.includes(null) ? null : !decisive;
    }
  }
}

function joined(
  node: Extract<PlanNode, { readonly left: PlanNode }>,
  left: readonly Tuple[],
  right: readonly Tuple[],
  world: World,
): readonly Tuple[] {
  const nothing = (side: PlanNode): Tuple => Object.fromEntries(columnsOf(side).map((column) => [column, null]));
  const [one, other] = node.reads;
  const leftKey = one !== undefined && left[0] !== undefined && one in left[0] ? one : other;
  const rightKey = leftKey === one ? other : one;
  const byKey = new Map<Value, Tuple[]>();
  for (const tuple of right) {
    const key = rightKey === undefined ? 'all' : (tuple[rightKey] ?? null);
    byKey.set(key, [...(byKey.get(key) ?? []), tuple]);
  }
  const partners = (tuple: Tuple): readonly Tuple[] => {
    const key = leftKey === undefined ? 'all' : (tuple[leftKey] ?? null);
    return key === null ? [] : (byKey.get(key) ?? []);
  };
  const both = left
    .flatMap((a) => partners(a).map((b) => ({ a, b, tuple: { ...a, ...b } })))
    .filter(({ tuple }) => node.kind === 'join' || truth(node.condition, tuple, world) === true);
  const found = new Set<Tuple>(both.flatMap(({ a, b }) => [a, b]));
  const inner = both.map(({ tuple }) => tuple);
  const lonelyLeft = left.filter((tuple) => !found.has(tuple));
  const leftOnly = lonelyLeft.map((tuple) => ({ ...tuple, ...nothing(node.right) }));
  const rightOnly = right.filter((tuple) => !found.has(tuple)).map((tuple) => ({ ...nothing(node.left), ...tuple }));
  const results: Readonly<Record<typeof node.join, () => readonly Tuple[]>> = {
    inner: () => inner,
    cross: () => inner,
    left: () => [...inner, ...leftOnly],
    right: () => [...inner, ...rightOnly],
    full: () => [...inner, ...leftOnly, ...rightOnly],
    semi: () => left.filter((tuple) => found.has(tuple)),
    anti: () => lonelyLeft,
    mark: () => left.map((tuple) => ({ ...tuple, [node.makes![0]!.column]: found.has(tuple) ? 1 : 0 })),
    single: () => {
      throw new Error('not evaluated: single');
    },
  };
  return results[node.join]();
}
