/**
 * Pulls every semantic projection to its highest place (PLOP §3.2). What reads its column and keeps rows apart from each
 * other (filters, computed columns, further semantic operators) rises with it, in topological order.
 */
import { inputsOf, rowsOf, withInputs } from '../children.js';
import { columnsMade, columnsOf, columnsRead } from '../columns.js';
import type { Column } from '../condition.js';
import { barrier, keeping } from '../crossing.js';
import type { Stepped, TraceEntry } from '../trace.js';
import type {
  Filter,
  NodeKind,
  PlacementTree,
  PlanNode,
  Project,
  SemanticFilter,
  SemanticProjection,
} from '../tree.js';

/** Rises: an operator that stands on the output of whatever is below. */
type Member = SemanticProjection | SemanticFilter | Filter | Project;

interface Risen {
  readonly base: PlanNode;
  /** Stand on `base`, the lowest first. */
  readonly members: readonly Member[];
}

/** Members that only add columns also pass what changes nothing but the number or order of rows. */
const countOnly: ReadonlySet<NodeKind> = new Set(['limit', 'sample', 'window']);

/** The tree with every semantic projection as high as it can stand. */
export function pullUpProjections(tree: PlacementTree): Stepped {
  const trace: TraceEntry[] = [];
  const { base, members } = rise(tree.root, trace);
  return { tree: { ...tree, root: stack(base, members) }, trace };
}

function rise(node: PlanNode, trace: TraceEntry[]): Risen {
  const inputs = inputsOf(node).map((input) => rise(input, trace));
  const [only] = inputs;
  if (only !== undefined && isFree(node)) {
    if (node.kind === 'semantic-projection') return { base: only.base, members: [...only.members, node] };
    if (dependsOn(node, only.members)) {
      if (node.kind === 'filter' || node.kind === 'semantic-filter') {
        return { base: only.base, members: [...only.members, node] };
      }
      if (node.kind === 'project') return riseOverDependent(node, only, trace);
    }
  }
  return cross(node, inputs, trace);
}

const isFree = (node: PlanNode): boolean => node.volatile !== true && node.raises !== true;

function dependsOn(node: PlanNode, members: readonly Member[]): boolean {
  const made = new Set(members.flatMap(madeBy));
  if (node.kind === 'project') return node.makes.some(({ reads }) => reads.some((column) => made.has(column)));
  return columnsRead(node).some((column) => made.has(column));
}

/** Columns that a member makes; a projection among the members makes only what it computes. */
function madeBy(member: Member): readonly Column[] {
  return columnsMade(member).map(({ column }) => column);
}

/** Splits a projection: what it computes from risen columns rises, the rest stays. */
function riseOverDependent(project: Project, { base, members }: Risen, trace: TraceEntry[]): Risen {
  const made = new Set(members.flatMap(madeBy));
  const rising = project.makes.filter(({ reads }) => reads.some((column) => made.has(column)));
  const below = rising.flatMap(({ reads }) => reads).filter((column) => !made.has(column));
  const { makes, keeps } = project;
  const low: Project = {
    ...project,
    keeps: [...new Set([...keeps, ...below])],
    makes: makes.filter((made) => !rising.includes(made)),
  };
  const high: Project = { ...project, id: `${project.id}.up`, makes: rising };
  const crossed = cross(low, [{ base, members }], trace);
  return { base: crossed.base, members: [...crossed.members, high] };
}

/** Puts `node` below those members that may rise over it; the others stay below the node. */
function cross(node: PlanNode, inputs: readonly Risen[], trace: TraceEntry[]): Risen {
  const sorted = inputs.map((input, side) => ({ ...input, ...sort(node, side, input.members) }));
  const rising = sorted.flatMap(({ rising: risen }) => risen);
  for (const member of rising) {
    const reason =
      member.kind === 'semantic-projection'
        ? 'rises: fewer tuples are left above'
        : 'rises with the column that it reads';
    trace.push({ step: 'pull-up-projections', node: member.id, over: node.id, reason });
  }
  for (const { stuck } of sorted) {
    for (const { member, why } of stuck) {
      if (member.kind !== 'semantic-projection') continue;
      trace.push({ step: 'pull-up-projections', node: member.id, over: node.id, reason: `stays below: ${why}` });
    }
  }
  const lifted = rising.reduce((share, member) => share * passing(member), 1);
  const below = sorted.map(({ base, stuck }) =>
    stack(
      base,
      stuck.map(({ member }) => member),
    ),
  );
  return { base: without(withInputs(node, below), rising, lifted), members: rising };
}

/** The node as it is below the rising members: it keeps what they read, and sees the rows that they no longer remove. */
function without(node: PlanNode, rising: readonly Member[], share: number): PlanNode {
  if (rising.length === 0) return node;
  const made = new Set(rising.flatMap(madeBy));
  const reads = rising.flatMap((member) => columnsRead(trimmed(member))).filter((column) => !made.has(column));
  const kept = node.kind === 'project' ? { ...node, keeps: node.keeps.filter((column) => !made.has(column)) } : node;
  const wide = keeping(kept, [...new Set(reads)]);
  return 'rows' in wide && share > 0 ? { ...wide, rows: wide.rows / share } : wide;
}

/** A projection that rose reads what it computes; what it keeps is decided where it ends. */
function trimmed(member: Member): Member {
  return member.kind === 'project' ? { ...member, keeps: [] } : member;
}

function passing(member: Member): number {
  const below = rowsOf(member.input);
  return member.kind === 'filter' && below > 0 ? member.rows / below : 1;
}

/** The members over `base`, each with the rows that follow from those below it. */
function stack(base: PlanNode, members: readonly Member[]): PlanNode {
  return members.reduce<PlanNode>((input, member) => {
    const rows = rowsOf(input) * passing(member);
    if (member.kind === 'project') return { ...member, input, rows, keeps: columnsOf(input) };
    return member.kind === 'filter' ? { ...member, input, rows } : { ...member, input };
  }, base);
}

interface Sorted {
  readonly rising: readonly Member[];
  readonly stuck: readonly { readonly member: Member; readonly why: string }[];
}

/**
 * Which members may rise over one side of `node`. Held back: those that it reads or blocks, whatever they read, and what
 * would rise without any semantic projection of its own.
 */
function sort(node: PlanNode, side: number, members: readonly Member[]): Sorted {
  const made = new Set(members.flatMap(madeBy));
  const wanted = new Set(wantedBy(node));
  const held = new Map<Member, string>();
  for (const member of members) {
    const reads = columnsRead(trimmed(member)).filter((column) => !made.has(column));
    const additive = member.kind === 'semantic-projection' || member.kind === 'project';
    const why = additive && countOnly.has(node.kind) && isFree(node) ? undefined : barrier(node, side, reads);
    if (why !== undefined) held.set(member, why);
    else if (madeBy(member).some((column) => wanted.has(column))) held.set(member, 'it reads the column');
  }
  for (let before = -1; before !== held.size; ) {
    before = held.size;
    holdRelated(members, held);
  }
  return {
    rising: members.filter((member) => !held.has(member)),
    stuck: members.flatMap((member) => {
      const why = held.get(member);
      return why === undefined ? [] : [{ member, why }];
    }),
  };
}

/** What a node reads by itself; a projection that only keeps a column lets it be made later. */
function wantedBy(node: PlanNode): readonly Column[] {
  return node.kind === 'project' ? node.makes.flatMap(({ reads }) => reads) : columnsRead(node);
}

function holdRelated(members: readonly Member[], held: Map<Member, string>): void {
  for (const member of members) {
    const reads = new Set(columnsRead(trimmed(member)));
    const sources = members.filter((other) => other !== member && madeBy(other).some((column) => reads.has(column)));
    const why = held.get(member);
    if (why !== undefined) {
      for (const source of sources) if (!held.has(source)) held.set(source, why);
    } else if (member.kind !== 'semantic-projection' && sources.every((source) => held.has(source))) {
      held.set(member, 'its column stays below');
    }
  }
}
