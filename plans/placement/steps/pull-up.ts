/**
 * Algorithm 1 of PLOP: every semantic filter as high as it can stand. It crosses plain operators only: a semantic projection
 * above it is spared the tuples that it removes. Filters change places with each other, as neither makes the other's
 * prompts more; as printed, the algorithm leaves a filter below one that is stuck.
 */
import { postOrder } from '../children.js';
import { placementOf, type Placeable, type Placement, type Skeleton } from '../skeleton.js';
import type { TraceEntry } from '../trace.js';
import type { NodeId, NodeKind } from '../tree.js';

const semantic: ReadonlySet<NodeKind> = new Set(['semantic-projection', 'semantic-join', 'semantic-filter']);

/** Where each filter ends, and why it goes no higher. */
export function pullUp(skeleton: Skeleton): { readonly placement: Placement; readonly trace: readonly TraceEntry[] } {
  const kinds = new Map(postOrder(skeleton.tree.root).map(({ id, kind }) => [id, kind]));
  const tops = skeleton.filters.map((filter) => topOf(filter, kinds));
  const trace = skeleton.filters.flatMap((filter, index): TraceEntry[] => {
    const { height = 0, why = '' } = tops[index] ?? {};
    const crossed = filter.path.slice(1, height + 1).map(
      (over): TraceEntry => ({
        step: 'pull-up',
        node: filter.node.id,
        over,
        reason: 'no more distinct prompts above',
      }),
    );
    return [...crossed, { step: 'pull-up', node: filter.node.id, reason: `stops: ${why}` }];
  });
  const placement = placementOf(skeleton, ({ path }, index) => path[tops[index]?.height ?? 0] ?? '');
  return { placement, trace };
}

interface Top {
  /** Index into the path. */
  readonly height: number;
  readonly why: string;
}

function topOf({ path, stoppedBy }: Placeable, kinds: ReadonlyMap<NodeId, NodeKind>): Top {
  const blocked = path.findIndex((id, at) => at > 0 && semantic.has(kinds.get(id) ?? 'relation'));
  if (blocked > 0) return { height: blocked - 1, why: `${path[blocked] ?? ''} is semantic, too` };
  return { height: path.length - 1, why: stoppedBy === undefined ? 'the top' : `${stoppedBy.node}: ${stoppedBy.why}` };
}
