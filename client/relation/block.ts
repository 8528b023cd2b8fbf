/** One SELECT in the making. A further step goes into it where that means the same, else it becomes a subquery. */
import { FermataError } from '../../plans/protocol/errors.js';
import { quoteName, quoteText } from '../../plans/relation/names.js';
import type { RunOptions } from '../api.js';
import { named } from './calls.js';
import { column } from './sql-text.js';

export type Tables = NonNullable<RunOptions['tables']>;

interface Computed {
  readonly name: string;
  readonly sql: string;
  /** Whether its values depend on which rows there are: later conditions must not take rows from it. */
  readonly overRows: boolean;
}

export interface Block {
  readonly tables: Tables;
  /** What follows FROM, with its alias. */
  readonly from: string;
  /** Names by which columns can be reached: of the relation, or of both sides of a join. */
  readonly aliases: readonly string[];
  /** The table, while the block is nothing but that. */
  readonly table?: string;
  /** Columns of the result; absent: all, and the computed ones. */
  readonly columns?: readonly string[];
  readonly computed: readonly Computed[];
  readonly where: readonly string[];
  /** Expressions of GROUP BY; its columns are all that there is. */
  readonly group?: readonly string[];
  readonly order: readonly string[];
  readonly limit?: number;
}

const nothing = { computed: [], where: [], order: [] } as const;

export function tableBlock(name: string, table: Tables[string]): Block {
  return { ...nothing, tables: { [name]: table }, from: quoteName(name), aliases: [name], table: name };
}

export function sqlOf(block: Block): string {
  const { from, where, group, order, limit } = block;
  return [
    `SELECT ${selectList(block).join(', ')}`,
    `FROM ${from}`,
    ...(where.length === 0 ? [] : [`WHERE ${where.join(' AND ')}`]),
    ...(group === undefined || group.length === 0 ? [] : [`GROUP BY ${group.join(', ')}`]),
    ...(order.length === 0 ? [] : [`ORDER BY ${order.join(', ')}`]),
    ...(limit === undefined ? [] : [`LIMIT ${limit}`]),
  ].join(' ');
}

function selectList(block: Block): readonly string[] {
  const { columns, computed } = block;
  if (columns === undefined) return ['*', ...computed.map(({ name, sql }) => named(sql, name))];
  return columns.map((name) => {
    const found = computedAs(block, name);
    return found === undefined ? columnSql(block, name) : named(found.sql, found.name);
  });
}

function computedAs({ computed }: Block, name: string): Computed | undefined {
  return computed.find((item) => sameName(item.name, name));
}

const sameName = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase();

/** A column as an expression; after a join `alias.column` names the side. */
export function columnSql(block: Block, name: string): string {
  const side = block.aliases.length < 2 ? undefined : block.aliases.find((alias) => name.startsWith(`${alias}.`));
  return side === undefined ? column(name).text : column(side, name.slice(side.length + 1)).text;
}

/** What a name stands for: the computed expression, or the column. */
export function valueSql(block: Block, name: string): string {
  return computedAs(block, name)?.sql ?? columnSql(block, name);
}

/** The block as a relation of its own, for a step that must see what came out of it. */
export function nested(block: Block, alias = block.aliases.join('_')): Block {
  const table = isBare(block) ? block.table : undefined;
  const relation = { ...nothing, tables: block.tables, from: relationSql(block, alias), aliases: [alias] };
  return table === undefined ? relation : { ...relation, table };
}

/** The block as it stands in FROM. */
export function relationSql(block: Block, alias: string): string {
  if (block.table !== undefined && isBare(block)) {
    return sameName(block.table, alias) ? quoteName(block.table) : named(quoteName(block.table), alias);
  }
  return named(`(${sqlOf(block)})`, alias);
}

function isBare({ columns, computed, where, order, limit }: Block): boolean {
  return columns === undefined && computed.length + where.length + order.length === 0 && limit === undefined;
}

/** What comes out of a function in FROM that takes the block, by the name of its table or as a query. */
export function throughFunction(block: Block, callOf: (relation: string) => string): Block {
  const alias = block.aliases.join('_');
  const relation = block.table !== undefined && isBare(block) ? quoteText(block.table) : `(${sqlOf(block)})`;
  return { ...nothing, tables: block.tables, from: named(callOf(relation), alias), aliases: [alias] };
}

/** Rows are taken away: not from what is limited, grouped, or computed over the rows there are. */
export function withCondition(block: Block, conditionOf: (block: Block) => string): Block {
  const settled =
    block.limit !== undefined || block.group !== undefined || block.computed.some(({ overRows }) => overRows);
  const open = settled ? nested(block) : block;
  return { ...open, where: [...open.where, conditionOf(open)] };
}

/** A column is added. */
export function withColumn(
  block: Block,
  name: string,
  { overRows = false, sqlIn }: { readonly overRows?: boolean; readonly sqlIn: (block: Block) => string },
): Block {
  const known = block.columns ?? block.computed.map((item) => item.name);
  if (known.some((other) => sameName(other, name))) {
    throw new FermataError('BadArgument', `there is a column "${name}" already`);
  }
  const open = block.group !== undefined || (overRows && block.limit !== undefined) ? nested(block) : block;
  const computed = [...open.computed, { name, sql: sqlIn(open), overRows }];
  return { ...open, computed, ...(open.columns === undefined ? {} : { columns: [...open.columns, name] }) };
}

/** Columns are chosen; those that are dropped while another part reads them are computed below. */
export function withColumns(block: Block, columns: readonly string[]): Block {
  if (columns.length === 0) throw new FermataError('BadArgument', 'no column is selected');
  const twice = columns.find((name, at) => columns.some((other, before) => before < at && sameName(other, name)));
  if (twice !== undefined) throw new FermataError('BadArgument', `column "${twice}" is selected twice`);
  checkColumns(block, columns);
  const open = block.group !== undefined || dropsWhatIsRead(block, columns, []) ? nested(block) : block;
  const kept = open.computed.filter(({ name }) => columns.some((column) => sameName(column, name)));
  return { ...open, columns, computed: kept };
}

function checkColumns({ columns: known }: Block, columns: readonly string[]): void {
  const missing = columns.find((name) => known?.every((other) => !sameName(other, name)) === true);
  if (missing !== undefined) {
    throw new FermataError('BadArgument', `there is no column "${missing}" any more`, {
      hint: `selected were: ${known?.join(', ') ?? ''}`,
    });
  }
}

/** Whether a computed column that is not among `columns` is named in a part that stays. A name cannot be read without its text. */
function dropsWhatIsRead(block: Block, columns: readonly string[], parts: readonly string[]): boolean {
  const kept = block.computed.filter(({ name }) => columns.some((column) => sameName(column, name)));
  const dropped = block.computed.filter((item) => !kept.includes(item));
  const staying = [...block.where, ...block.order, ...kept.map(({ sql }) => sql), ...parts].join('\n').toLowerCase();
  return dropped.some(({ name }) => staying.includes(name.toLowerCase()) || name.includes('"'));
}

/** Keys of the order are added behind those that are there. */
export function withOrder(block: Block, keyOf: (block: Block) => string): Block {
  const open = block.limit === undefined ? block : nested(block);
  return { ...open, order: [...open.order, keyOf(open)] };
}

/** A column of the result to sort by. */
export function orderColumn(block: Block, name: string): string {
  checkColumns(block, [name]);
  return valueSql(block, name);
}

export function withLimit(block: Block, limit: number): Block {
  return { ...block, limit: Math.min(limit, block.limit ?? limit) };
}

/** The first rows by an expression, ties by the order so far. */
export function withTop(block: Block, limit: number, keyOf: (block: Block) => string): Block {
  const open = block.limit === undefined && block.group === undefined ? block : nested(block);
  return { ...open, order: [keyOf(open), ...open.order], limit };
}

/** One row a group; `by` are the columns of the groups, none: one row. */
export function withGroups(
  block: Block,
  by: readonly string[],
  aggregate: { readonly name: string; readonly sqlIn: (block: Block) => string },
): Block {
  checkColumns(block, by);
  const settled =
    block.limit !== undefined || block.group !== undefined || dropsWhatIsRead(block, by, [aggregate.sqlIn(block)]);
  const open = settled ? nested(block) : block;
  const sql = aggregate.sqlIn(open);
  const groups = by.map((name) => valueSql(open, name));
  const kept = open.computed.filter(({ name }) => by.some((other) => sameName(other, name)));
  return {
    tables: open.tables,
    from: open.from,
    aliases: open.aliases,
    where: open.where,
    order: [],
    computed: [...kept, { name: aggregate.name, sql, overRows: true }],
    columns: [...by, aggregate.name],
    group: groups,
  };
}

export const joinWords = { inner: 'JOIN', left: 'LEFT JOIN', semi: 'SEMI JOIN', anti: 'ANTI JOIN' } as const;
export type JoinKind = keyof typeof joinWords;

/** Rows of two relations for which the condition holds; semi and anti keep the columns of the left alone. */
export function joined(
  left: Block,
  right: Block,
  kind: JoinKind,
  conditionOf: (left: string, right: string) => string,
): Block {
  const [a = 'a', b = 'b'] = [left, right].map(({ aliases }) => aliases.join('_'));
  if (sameName(a, b)) {
    const hint = "give one of them another name: reviews.as('other')";
    throw new FermataError('BadArgument', `both sides of the join are named "${a}"`, { hint });
  }
  const clash = Object.keys(right.tables).find(
    (name) => name in left.tables && JSON.stringify(left.tables[name]) !== JSON.stringify(right.tables[name]),
  );
  if (clash !== undefined) throw new FermataError('BadArgument', `two files are named "${clash}"`);
  const one = kind === 'semi' || kind === 'anti';
  return {
    ...nothing,
    tables: { ...left.tables, ...right.tables },
    from: `${relationSql(left, a)} ${joinWords[kind]} ${relationSql(right, b)} ON ${conditionOf(a, b)}`,
    aliases: one ? [a] : [a, b],
  };
}
