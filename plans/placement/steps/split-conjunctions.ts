/**
 * Splits conditions at every AND, also under NOT, so that each semantic predicate is a node by itself (PLOP §5). Plain
 * conjuncts stay lowest; those that may raise or change stay above the semantic ones, which may spare them their rows.
 */
import { rebuild, rowsOf } from '../children.js';
import { callsOf, type Condition, conditionText, isUnmovable, plainShare, shareOf } from '../condition.js';
import type { Stepped, TraceEntry } from '../trace.js';
import type { PlacementTree, PlanNode, Where } from '../tree.js';

/** The tree without `where` nodes. */
export function splitConjunctions(tree: PlacementTree): Stepped {
  const trace: TraceEntry[] = [];
  const root = rebuild(tree.root, (node) => (node.kind === 'where' ? split(node, trace) : node));
  return { tree: { ...tree, root }, trace };
}

/** The conjuncts of a condition; `NOT (a OR b)` is `NOT a AND NOT b` in three-valued logic too. */
export function conjunctsOf(condition: Condition): readonly Condition[] {
  if (condition.kind === 'and') return condition.parts.flatMap(conjunctsOf);
  if (condition.kind !== 'not') return [condition];
  const { part } = condition;
  if (part.kind === 'not') return conjunctsOf(part.part);
  return part.kind === 'or' ? part.parts.flatMap((each) => conjunctsOf({ kind: 'not', part: each })) : [condition];
}

function split(where: Where, trace: TraceEntry[]): PlanNode {
  const conjuncts = conjunctsOf(where.condition);
  const ordered = [0, 1, 2].flatMap((rank) => conjuncts.filter((conjunct) => rankOf(conjunct, where) === rank));
  const flags = {
    ...(where.volatile === true ? { volatile: true } : {}),
    ...(where.raises === true ? { raises: true } : {}),
  };
  const alone = ordered.length === 1;
  const root = ordered.reduce<PlanNode>((input, conjunct, at) => {
    const id = alone ? where.id : `${where.id}.${at + 1}`;
    return { ...nodeOf(conjunct, id, input), ...flags };
  }, where.input);
  if (!alone) {
    const texts = ordered.map(conditionText).join('; ');
    trace.push({ step: 'split-conjunctions', node: where.id, reason: `${ordered.length} conjuncts: ${texts}` });
  }
  return root;
}

function rankOf(conjunct: Condition, where: Where): number {
  const fixed = isUnmovable(conjunct) || where.volatile === true || where.raises === true;
  if (callsOf(conjunct).length > 0) return fixed ? 2 : 1;
  return isUnmovable(conjunct) ? 2 : 0;
}

function nodeOf(conjunct: Condition, id: string, input: PlanNode): PlanNode {
  const unmovable = isUnmovable(conjunct) ? { raises: true } : {};
  if (callsOf(conjunct).length > 0) {
    return { kind: 'semantic-filter', id, input, condition: conjunct, ...unmovable };
  }
  return {
    kind: 'filter',
    id,
    input,
    condition: conjunct,
    rows: rowsOf(input) * shareOf(conjunct, () => plainShare),
    ...unmovable,
  };
}
