/**
 * SJ(R, S) = SF(R × S) for inner semantic joins (PLOP §3.2); a join that has plain conditions as well keeps them. Others stay:
 * an outer, semi or anti join decides per row whether any pair passes.
 */
import { rebuild } from '../children.js';
import { conditionText } from '../condition.js';
import type { Stepped, TraceEntry } from '../trace.js';
import type { PlacementTree, PlanNode, SemanticJoin } from '../tree.js';

/** The tree without inner semantic joins; their conditions are `where` nodes, for splitting. */
export function decomposeJoins(tree: PlacementTree): Stepped {
  const trace: TraceEntry[] = [];
  const root = rebuild(tree.root, (node) => (node.kind === 'semantic-join' ? decompose(node, trace) : node));
  return { tree: { ...tree, root }, trace };
}

function decompose(node: SemanticJoin, trace: TraceEntry[]): PlanNode {
  const { id, left, right, rows, reads, condition } = node;
  if (node.join !== 'inner' && node.join !== 'cross') {
    trace.push({ step: 'decompose-joins', node: id, reason: `a ${node.join} join stays as written` });
    return node;
  }
  const plain = reads.length === 0 ? 'cross' : 'inner';
  const flags = {
    ...(node.volatile === true ? { volatile: true } : {}),
    ...(node.raises === true ? { raises: true } : {}),
  };
  const cost = node.cost === undefined ? {} : { cost: node.cost };
  const input: PlanNode = { kind: 'join', join: plain, id, left, right, rows, reads, ...cost, ...flags };
  trace.push({
    step: 'decompose-joins',
    node: id,
    reason: `semantic join into ${plain === 'cross' ? 'a cross product' : 'its plain join'} and ${conditionText(condition)}`,
  });
  return { kind: 'where', id: `${id}.on`, input, condition, ...flags };
}
