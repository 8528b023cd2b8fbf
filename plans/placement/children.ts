/** Kind → inputs: the one table that walking and rewriting go by. */
import type { NodeId, NodeKind, NodeOf, PlanNode } from './tree.js';

interface Shape<Kind extends NodeKind> {
  readonly inputs: (node: NodeOf<Kind>) => readonly PlanNode[];
  readonly over: (node: NodeOf<Kind>, inputs: readonly PlanNode[]) => PlanNode;
}

type Unary = Extract<PlanNode, { readonly input: PlanNode }>;
type Binary = Extract<PlanNode, { readonly left: PlanNode }>;

const unary = {
  inputs: (node: Unary) => [node.input],
  over: (node: Unary, [input = node.input]: readonly PlanNode[]): PlanNode => ({ ...node, input }),
};
const binary = {
  inputs: (node: Binary) => [node.left, node.right],
  over: (node: Binary, [left = node.left, right = node.right]: readonly PlanNode[]): PlanNode => ({
    ...node,
    left,
    right,
  }),
};

const shapes: { readonly [Kind in NodeKind]: Shape<Kind> } = {
  relation: { inputs: () => [], over: (node) => node },
  filter: unary,
  where: unary,
  project: unary,
  join: binary,
  aggregate: unary,
  distinct: unary,
  window: unary,
  limit: unary,
  sample: unary,
  order: unary,
  set: { inputs: (node) => node.inputs, over: (node, inputs) => ({ ...node, inputs }) },
  unnest: unary,
  fence: unary,
  'semantic-filter': unary,
  'semantic-projection': unary,
  'semantic-join': binary,
};

/** The inputs of a node, from left to right. */
export function inputsOf(node: PlanNode): readonly PlanNode[] {
  return (shapes[node.kind] as Shape<NodeKind>).inputs(node);
}

/** The same node over other inputs. */
export function withInputs(node: PlanNode, inputs: readonly PlanNode[]): PlanNode {
  return (shapes[node.kind] as Shape<NodeKind>).over(node, inputs);
}

/** Every node, inputs before the node that reads them. */
export function postOrder(root: PlanNode): readonly PlanNode[] {
  return [...inputsOf(root).flatMap(postOrder), root];
}

/** Rebuilds a tree from its leaves up; `change` sees a node whose inputs are rebuilt already. */
export function rebuild(root: PlanNode, change: (node: PlanNode) => PlanNode): PlanNode {
  return change(
    withInputs(
      root,
      inputsOf(root).map((input) => rebuild(input, change)),
    ),
  );
}

/** Replaces the one node with this id. */
export function replaceNode(root: PlanNode, id: NodeId, change: (node: PlanNode) => PlanNode): PlanNode {
  if (root.id === id) return change(root);
  const inputs = inputsOf(root);
  const replaced = inputs.map((input) => replaceNode(input, id, change));
  return replaced.every((input, at) => input === inputs[at]) ? root : withInputs(root, replaced);
}

/** Rows that a node gives when no semantic filter removes any. */
export function rowsOf(node: PlanNode): number {
  if ('rows' in node) return node.rows;
  const [input] = inputsOf(node);
  return input === undefined ? 0 : rowsOf(input);
}
