/** Random placement trees: every kind of operator, semantic filters anywhere. */
import { columnsOf } from '../../../plans/placement/columns.js';
import type { Column, Condition } from '../../../plans/placement/condition.js';
import type { JoinKind, PlacementTree, PlanNode } from '../../../plans/placement/tree.js';
import { rowsOf } from '../../../plans/placement/children.js';
import type { Random } from '../../../plans/tuning/numeric/random.js';

export interface TreeShape {
  readonly relations: number;
  readonly filters: number;
  /** Chance of a unary operator over each node. */
  readonly unary: number;
  readonly joins: readonly JoinKind[];
  /** Also semantic projections, semantic joins, and conditions of several calls. */
  readonly rich: boolean;
}

export const allJoins: readonly JoinKind[] = ['inner', 'cross', 'left', 'right', 'full', 'semi', 'anti', 'mark'];

type Maker = (input: PlanNode, id: string, random: Random) => PlanNode | undefined;

export const pick = <Item>(items: readonly Item[], random: Random): Item =>
  items[Math.floor(random.uniform() * items.length)]!;

const between = (low: number, high: number, random: Random): number =>
  low + Math.floor(random.uniform() * (high - low + 1));

function some(items: readonly Column[], random: Random): readonly Column[] {
  const chosen = items.filter(() => random.uniform() < 0.6);
  return chosen.length === 0 ? [pick(items, random)] : chosen;
}

const makers: readonly Maker[] = [
  (input, id, random) => {
    const condition: Condition = { kind: 'plain', text: id, reads: [pick(columnsOf(input), random)] };
    return { kind: 'filter', id, input, condition, rows: Math.ceil(rowsOf(input) * random.uniform()) };
  },
  (input, id, random) => {
    const keeps = some(columnsOf(input), random);
    const read = pick(columnsOf(input), random);
    const makes = [{ column: `${id}.c`, reads: [read], copy: random.uniform() < 0.5 }];
    return { kind: 'project', id, input, keeps, makes, rows: rowsOf(input) };
  },
  (input, id, random) => ({ kind: 'order', id, input, reads: [pick(columnsOf(input), random)], rows: rowsOf(input) }),
  (input, id, random) => {
    const columns = some(columnsOf(input), random);
    return { kind: 'distinct', id, input, columns, rows: Math.ceil(rowsOf(input) * random.uniform()) };
  },
  (input, id, random) => {
    const keys = some(columnsOf(input), random).slice(0, 2);
    const makes = [{ column: `${id}.n`, reads: [pick(columnsOf(input), random)] }];
    return { kind: 'aggregate', id, input, keys, makes, rows: Math.ceil(rowsOf(input) * random.uniform()) };
  },
  (input, id, random) => {
    const makes = [{ column: `${id}.w`, reads: [pick(columnsOf(input), random)] }];
    return { kind: 'window', id, input, makes, rows: rowsOf(input) };
  },
  (input, id, random) => {
    const rows = Math.min(rowsOf(input), between(1, 20, random));
    return { kind: 'limit', id, input, reads: [], rows };
  },
];

function call(id: string, columns: readonly Column[], random: Random): Condition {
  const reads = [pick(columns, random), ...(random.uniform() < 0.3 ? [pick(columns, random)] : [])];
  const known = random.uniform() < 0.7 ? { selectivity: random.uniform() } : {};
  return { kind: 'call', call: { id, reads: [...new Set(reads)], ...known } };
}

export function randomCondition(id: string, columns: readonly Column[], rich: boolean, random: Random): Condition {
  if (!rich || random.uniform() < 0.5) return call(id, columns, random);
  const plain: Condition = { kind: 'plain', text: `${id}.p`, reads: [pick(columns, random)], share: random.uniform() };
  const parts = [call(`${id}.1`, columns, random), random.uniform() < 0.5 ? call(`${id}.2`, columns, random) : plain];
  const mixed: Condition = { kind: random.uniform() < 0.7 ? 'or' : 'and', parts };
  return random.uniform() < 0.3 ? { kind: 'not', part: mixed } : mixed;
}

/** A tree of the shape, whose columns are `r0.a`, `r0.b` and so on. */
export function randomTree(shape: TreeShape, random: Random): PlacementTree {
  let ids = 0;
  const next = (kind: string): string => `${kind}${ids++}`;
  const decorate = (input: PlanNode): PlanNode => {
    if (random.uniform() >= shape.unary) return input;
    if (shape.rich && random.uniform() < 0.15) {
      const id = next('sp');
      const reads = [pick(columnsOf(input), random)];
      return { kind: 'semantic-projection', id, input, call: { id, reads }, makes: `${id}.s` };
    }
    return pick(makers, random)(input, next('u'), random) ?? input;
  };
  let parts = Array.from({ length: shape.relations }, (_, at): PlanNode => {
    const columns = [`r${at}.a`, `r${at}.b`];
    return decorate({ kind: 'relation', id: `r${at}`, relation: `r${at}`, rows: between(1, 1000, random), columns });
  });
  while (parts.length > 1) {
    const [left, right, ...rest] = parts as [PlanNode, PlanNode, ...PlanNode[]];
    parts = [...rest, decorate(join(left, right, shape, next, random))];
    if (random.uniform() < 0.5) parts.reverse();
  }
  let root = parts[0]!;
  for (let at = 0; at < shape.filters; at++) root = addFilter(root, `f${at}`, shape, random);
  return { root, output: columnsOf(root) };
}

function join(
  left: PlanNode,
  right: PlanNode,
  shape: TreeShape,
  next: (kind: string) => string,
  random: Random,
): PlanNode {
  const kind = pick(shape.joins, random);
  const reads = kind === 'cross' ? [] : [pick(columnsOf(left), random), pick(columnsOf(right), random)];
  const rows = Math.ceil(rowsOf(left) * rowsOf(right) * (kind === 'cross' ? 1 : random.uniform() * 0.05));
  const id = next('j');
  const made = kind === 'mark' ? { makes: [{ column: `${id}.m`, reads: [reads[1]!] }] } : {};
  if (shape.rich && random.uniform() < 0.2 && kind !== 'mark' && kind !== 'cross') {
    const columns = [...columnsOf(left), ...columnsOf(right)];
    const condition = randomCondition(id, columns, true, random);
    return { kind: 'semantic-join', join: kind, id, left, right, rows, reads, condition };
  }
  return { kind: 'join', join: kind, id, left, right, rows, reads, ...made };
}

/** Puts a filter over a random node. */
function addFilter(root: PlanNode, id: string, shape: TreeShape, random: Random): PlanNode {
  const descend = random.uniform() < 0.8;
  if (descend && 'input' in root) return { ...root, input: addFilter(root.input, id, shape, random) };
  if (descend && 'left' in root) {
    const leftward = random.uniform() < 0.5;
    return leftward
      ? { ...root, left: addFilter(root.left, id, shape, random) }
      : { ...root, right: addFilter(root.right, id, shape, random) };
  }
  const condition = randomCondition(id, columnsOf(root), shape.rich, random);
  return { kind: shape.rich ? 'where' : 'semantic-filter', id, input: root, condition };
}
