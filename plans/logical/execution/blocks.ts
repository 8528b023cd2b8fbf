import { encodePlan } from '../../algebra/json.js';
import type { Apply, Operator } from '../../algebra/operator.js';
import { relationalSql } from '../../algebra/sql.js';
import { inputsOf, operatorsOf, schemaOf } from '../../algebra/walk.js';
import type { SemanticCall } from '../../operators/call.js';
import { quoteName, reserved } from '../../relation/names.js';
import type { NestedBlock, QueryBlock, QueryPlan } from '../../sql/plan.js';
import { appliedSql } from './answer-sql.js';

/** How an `Apply` of a plan is asked, by its id. */
export type CallOf = (apply: Apply, id: string) => SemanticCall;

/** A logical plan as a query that the executor runs: a block of each operator that is stored, in topological order. */
export interface LogicalBlocks {
  readonly query: QueryPlan;
  /** Each `Apply`, by the id of its call. */
  readonly tasks: ReadonlyMap<string, Apply>;
  /** The table of each operator that is stored, by its id in the JSON form of the plan. */
  readonly tables: Readonly<Record<string, string>>;
}

/** Names what a block reads from within its query; no column of a plan is qualified by it. */
const alias = 'tuples';

/**
 * The blocks of a plan whose equal parts are shared. Stored are the rows of every task, and relational parts that more than one
 * block reads, unless they only pick and compute over what is stored: the rest is part of the SQL of its reader. Every table
 * has the paths of its rows.
 *
 * @throws what `callOf` throws
 */
export function logicalBlocks(root: Operator, callOf: CallOf): LogicalBlocks {
  const { nodes } = encodePlan(root);
  const ids = new Map(operatorsOf(root).map((operator, at) => [operator, nodes[at]?.id ?? '']));
  const prefix = freeTable(root);
  const kept = storedParts(root);
  const stored = (operator: Operator): string | undefined =>
    kept.has(operator) ? `${prefix}${ids.get(operator) ?? ''}` : undefined;
  const tasks = new Map<string, Apply>();
  const before: NestedBlock[] = [];
  for (const operator of kept) {
    const id = ids.get(operator) ?? '';
    if (operator.kind === 'apply') tasks.set(id, operator);
    before.push({ table: stored(operator) ?? '', block: blockOf(operator, id, { stored, callOf }) });
  }
  return {
    query: {
      v: 1,
      ...source(root, stored, false),
      calls: [],
      final: { sql: `SELECT ${columnsOf(root)} FROM ${reserved.rows}` },
      ...(before.length === 0 ? {} : { before }),
    },
    tasks,
    tables: Object.fromEntries([...kept].map((operator) => [ids.get(operator) ?? '', stored(operator) ?? ''])),
  };
}

interface Blocks {
  readonly stored: (operator: Operator) => string | undefined;
  readonly callOf: CallOf;
}

function blockOf(operator: Operator, id: string, { stored, callOf }: Blocks): QueryBlock {
  if (operator.kind === 'apply')
    return {
      ...source(operator.input, stored, true),
      calls: [callOf(operator, id)],
      final: { sql: appliedSql(operator, id) },
    };
  const others = (other: Operator): string | undefined => (other === operator ? undefined : stored(other));
  return {
    ...source(operator, others, true),
    calls: [],
    final: { sql: `SELECT * EXCLUDE (${reserved.row}) FROM ${reserved.rows}` },
  };
}

function source(operator: Operator, stored: Blocks['stored'], paths: boolean): Pick<QueryBlock, 'source' | 'rows'> {
  const table = stored(operator);
  return {
    source: { alias, ...(table === undefined ? {} : { table }), sql: relationalSql(operator, { stored, paths }) },
    rows: { sql: `SELECT ${reserved.row} FROM ${reserved.source} ORDER BY ${reserved.row}` },
  };
}

function columnsOf(operator: Operator): string {
  return schemaOf(operator)
    .map(({ name }) => quoteName(name))
    .join(', ');
}

/** Operators whose rows are stored, inputs first. */
function storedParts(root: Operator): ReadonlySet<Operator> {
  const order = operatorsOf(root);
  /** Blocks whose SQL an operator is part of. */
  const blocks = new Map<Operator, Set<Operator>>([[root, new Set([root])]]);
  const kept = new Set<Operator>();
  for (const operator of [...order].reverse()) {
    const readers = blocks.get(operator) ?? new Set();
    const own = operator.kind === 'apply' || (readers.size > 1 && isWork(operator));
    if (own) kept.add(operator);
    for (const input of inputsOf(operator)) {
      const known = blocks.get(input) ?? new Set();
      for (const reader of own ? [operator] : readers) known.add(reader);
      blocks.set(input, known);
    }
  }
  return new Set(order.filter((operator) => kept.has(operator)));
}

/** Whether an operator does more than pick and compute over what is stored: then it is not done twice. */
function isWork(operator: Operator): boolean {
  if (operator.kind === 'scan' || operator.kind === 'apply') return false;
  if (operator.kind !== 'select' && operator.kind !== 'project') return true;
  return inputsOf(operator).some(isWork);
}

/** Begins the name of no relation of the plan, whatever its case. */
function freeTable(root: Operator): string {
  const names = operatorsOf(root).flatMap((operator) =>
    operator.kind === 'scan' ? [operator.relation.toLowerCase()] : [],
  );
  let prefix = 'made_';
  while (names.some((name) => name.startsWith(prefix))) prefix += '_';
  return prefix;
}
