/** Which columns a node gives, reads and makes. */
import { type Column, readsOf } from './condition.js';
import { inputsOf } from './children.js';
import type { JoinKind, Made, NodeKind, NodeOf, PlanNode } from './tree.js';

interface Row<Kind extends NodeKind> {
  /** Columns of the output. */
  readonly gives: (node: NodeOf<Kind>, inputs: readonly (readonly Column[])[]) => readonly Column[];
  /** Columns of the inputs that it reads itself, beyond passing them on. */
  readonly reads: (node: NodeOf<Kind>) => readonly Column[];
}

const made = (makes: readonly Made[]): readonly Column[] => makes.map(({ column }) => column);
const madeFrom = (makes: readonly Made[]): readonly Column[] => makes.flatMap(({ reads }) => reads);
const first = (_: PlanNode, [input = []]: readonly (readonly Column[])[]): readonly Column[] => input;
const nothing = (): readonly Column[] => [];

/** Joins whose right side is only looked into. */
export const hidesRight: ReadonlySet<JoinKind> = new Set(['semi', 'anti', 'mark', 'single']);

function joined(
  node: { readonly join: JoinKind; readonly makes?: readonly Made[] },
  [left = [], right = []]: readonly (readonly Column[])[],
): readonly Column[] {
  return [...left, ...(hidesRight.has(node.join) ? [] : right), ...made(node.makes ?? [])];
}

const table: { readonly [Kind in NodeKind]: Row<Kind> } = {
  relation: { gives: (node) => node.columns, reads: nothing },
  filter: { gives: first, reads: (node) => readsOf(node.condition) },
  where: { gives: first, reads: (node) => readsOf(node.condition) },
  project: {
    gives: (node) => [...node.keeps, ...made(node.makes)],
    reads: (node) => [...node.keeps, ...madeFrom(node.makes)],
  },
  join: {
    gives: joined,
    reads: (node) => [...node.reads, ...(node.lateral ?? []), ...madeFrom(node.makes ?? [])],
  },
  aggregate: {
    gives: (node) => [...node.keys, ...made(node.makes)],
    reads: (node) => [...node.keys, ...madeFrom(node.makes)],
  },
  distinct: { gives: (node) => node.columns, reads: (node) => [...node.columns, ...(node.on ?? [])] },
  window: {
    gives: (node, inputs) => [...first(node, inputs), ...made(node.makes)],
    reads: (node) => madeFrom(node.makes),
  },
  limit: { gives: first, reads: (node) => node.reads },
  sample: { gives: first, reads: nothing },
  order: { gives: first, reads: (node) => node.reads },
  set: { gives: (node) => node.makes, reads: (node) => node.takes.flat() },
  unnest: {
    gives: (node, inputs) => [...first(node, inputs), ...made(node.makes)],
    reads: (node) => madeFrom(node.makes),
  },
  fence: { gives: first, reads: nothing },
  'semantic-filter': { gives: first, reads: (node) => readsOf(node.condition) },
  'semantic-projection': {
    gives: (node, inputs) => [...first(node, inputs), node.makes],
    reads: (node) => node.call.reads,
  },
  'semantic-join': { gives: joined, reads: (node) => [...node.reads, ...readsOf(node.condition)] },
};

/** Columns of a node's output. */
export function columnsOf(node: PlanNode): readonly Column[] {
  return (table[node.kind] as Row<NodeKind>).gives(node, inputsOf(node).map(columnsOf));
}

/** Columns that a node needs of its inputs. */
export function columnsRead(node: PlanNode): readonly Column[] {
  return (table[node.kind] as Row<NodeKind>).reads(node);
}

/** Columns that come into being at a node, with those that they are computed from. */
export function columnsMade(node: PlanNode): readonly Made[] {
  if (node.kind === 'relation') return node.columns.map((column) => ({ column, reads: [] }));
  if (node.kind === 'semantic-projection') return [{ column: node.makes, reads: node.call.reads }];
  if (node.kind === 'set') {
    return node.makes.map((column, at) => ({ column, reads: node.takes.flatMap((taken) => taken[at] ?? []) }));
  }
  return 'makes' in node ? (node.makes ?? []) : [];
}
