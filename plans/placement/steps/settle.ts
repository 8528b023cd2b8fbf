/** A filter right below a plain one stands above it: a plain condition costs nothing, and spares prompts. */
import { postOrder } from '../children.js';
import type { Placement, Skeleton } from '../skeleton.js';
import type { TraceEntry } from '../trace.js';
import type { NodeId } from '../tree.js';

/** The placement with every filter above the plain conditions next to it. */
export function settle(
  { tree, filters }: Skeleton,
  placement: Placement,
): { readonly placement: Placement; readonly trace: readonly TraceEntry[] } {
  const plain = new Set(postOrder(tree.root).flatMap(({ id, kind }) => (kind === 'filter' ? [id] : [])));
  const trace: TraceEntry[] = [];
  const settled = new Map<NodeId, readonly number[]>();
  // operators from the leaves up, so that what comes from below stays below
  for (const { id } of postOrder(tree.root)) {
    for (const index of placement.get(id) ?? []) {
      const { path = [], node } = filters[index] ?? {};
      let level = path.indexOf(id);
      for (; plain.has(path[level + 1] ?? ''); level++) {
        trace.push({
          step: 'settle',
          node: node?.id ?? '',
          over: path[level + 1] ?? '',
          reason: 'a plain condition first',
        });
      }
      const place = path[level] ?? id;
      settled.set(place, [...(settled.get(place) ?? []), index]);
    }
  }
  return { placement: settled, trace };
}
