import { FermataError } from '../protocol/errors.js';
import type { Placed } from '../placement/strategies.js';
import type { Placement } from '../protocol/placement.js';
import { withoutDedup } from './dedup.js';
import { fault } from './fault.js';
import { splitNested } from './nested.js';
import { type ParameterValues, withParameters } from './parameters.js';
import { planBlock, type Tools } from './plan-block.js';
import { planPlainQuery } from './plain-query.js';
import type { NestedBlock, PlannedBlock, QueryPlan, TableSchema } from './plan.js';
import type { DeclareTable, DescribeSql, MeasureSql, SqlParser } from './ports.js';
import { checkFunctions, findSemantic } from './recognise.js';
import { normaliseRelations } from './relations.js';
import { withoutSearch } from './search.js';
import { withPairs } from './semantic-joins.js';
import { withoutSimilarity } from './similarity.js';
import { markMedia, mediaColumns } from './source.js';
import { renameReserved } from './tokens.js';
import { findNode, type SqlNode } from './tree.js';

export interface PlanRequest {
  /** As the user wrote it. */
  readonly sql: string;
  /** Every table that the query may read, files under exactly the name in the SQL. */
  readonly tables: readonly TableSchema[];
  readonly parser: SqlParser;
  /** Binds against empty tables of those schemas. */
  readonly describe: DescribeSql;
  readonly declare: DeclareTable;
  /** Default: `pullup`. */
  readonly placement?: Placement;
  readonly parameters?: ParameterValues;
  /** Used by `cost`, and by whoever listens to `onPlaced`. */
  readonly measure?: MeasureSql;
  /** Hears how the conditions of each join were placed. */
  readonly onPlaced?: (placed: Placed) => void;
}

/**
 * Plans a query: checks all of it, semantic calls and plain SQL, before anything is asked. Throws `FermataError` with
 * the position in the user's text: `SqlSyntax`, `UnknownTable`, `UnknownColumn`, `UnknownFunction`, `BadArgument`,
 * `PromptWithoutColumn`, `TypeMismatch`, or `UnsupportedSql` with a way to write it instead.
 *
 * @example
 * const plan = await planQuery({ sql: "SELECT id FROM t WHERE AI_FILTER('Is it spam? {body}')", tables, parser, describe, declare });
 */
export async function planQuery({
  sql,
  tables,
  parser,
  describe,
  declare,
  placement = 'pullup',
  parameters = {},
  measure,
  onPlaced,
}: PlanRequest): Promise<QueryPlan> {
  const text = renameReserved(sql);
  const [parsed, second] = await parser.serialize(text);
  if (parsed === undefined) throw fault('SqlSyntax', 'the query is empty', 0);
  if (second !== undefined) {
    const place = findNode(second, (node) => typeof node['query_location'] === 'number');
    throw fault('UnsupportedSql', 'one query at a time', place, 'Run each statement by itself.');
  }
  const statement = await withParameters(parsed, text, parameters, parser);
  checkFunctions(statement);
  const written = withoutDedup(withoutSearch(withoutSimilarity(statement), tables), tables);
  const { query, nested } = splitNested(withPairs(normaliseRelations(written, tables), tables));
  const before: NestedBlock[] = [];
  const plan = async (table: string, inner: SqlNode): Promise<void> => {
    const { block, columns } = await uncorrelated(() => planAny(inner, tools));
    const schema = { name: table, columns: markMedia(columns, mediaColumns(inner, tools.tables, [])) };
    await declare(schema);
    tools.tables.push(schema);
    before.push({ table, block });
  };
  const nest = async (inner: SqlNode): Promise<string> => {
    const table = `__q${nested.length + extra++}`;
    await plan(table, inner);
    return table;
  };
  const narrow: Tools['narrow'] = async (table, inner, as) => {
    const { block } = await planAny(inner, tools);
    return before.push({ table, block, ...as }) - 1;
  };
  let extra = 0;
  const tools: Tools = {
    ...{ text, parser, describe, placement, nest, narrow },
    // counting takes time, and the other strategies do without
    ...(measure !== undefined && (placement === 'cost' || onPlaced !== undefined) ? { measure } : {}),
    ...(onPlaced === undefined ? {} : { onPlaced }),
    tables: [...tables],
    counts: { filter: 0, value: 0, aggregate: 0 },
    notes: new Set(),
  };
  for (const { table, query: inner } of nested) await plan(table, inner);
  const { block: last } = await planAny(query, tools);
  return {
    v: 1,
    ...(before.length === 0 ? {} : { before }),
    ...last,
    ...(tools.notes.size === 0 ? {} : { notes: [...tools.notes] }),
  };
}

function planAny(query: SqlNode, tools: Tools): Promise<PlannedBlock> {
  return findSemantic(query) === undefined ? planPlainQuery({ query, ...tools }) : planBlock(query, tools);
}

/** A nested query runs by itself, before the one around it. */
async function uncorrelated<T>(plan: () => Promise<T>): Promise<T> {
  try {
    return await plan();
  } catch (error) {
    if (!FermataError.is(error) || !['UnknownColumn', 'UnknownTable'].includes(error.code)) throw error;
    const hint = 'A subquery with semantic calls cannot read columns of the query around it: join instead.';
    throw fault(error.code, error.message, error.where.position, [error.hint ?? '', hint].join(' ').trim());
  }
}
