/** Queries inside a query that ask models themselves: each is run before the query that reads its rows. */
import { fault } from './fault.js';
import { findSemantic, shown, spelledName } from './recognise.js';
import {
  baseTable,
  child,
  isNode,
  isQuery,
  mapNodes,
  nodes,
  selectNode,
  type SqlNode,
  star,
  text,
  texts,
  treeKey,
} from './tree.js';

export interface NestedQuery {
  /** Name under which later queries read its rows. */
  readonly table: string;
  /** Asks on its outer level only. */
  readonly query: SqlNode;
}

export interface SplitQuery {
  readonly query: SqlNode;
  /** In the order in which they are run: each may read those before it. */
  readonly nested: readonly NestedQuery[];
}

/** Key that marks a query whose rows are kept as a table although it asks nothing; DuckDB reads over it. */
const keptMark = 'kept_as_table';

/** A copy of a query that is run by itself, once, wherever its rows are read. */
export function asTable(query: SqlNode): SqlNode {
  return { ...query, [keptMark]: true };
}

/** Begins the names of the tables that nested queries become. */
const tablePrefix = '__q';

/** What the names of WITH mean at one place of the query. */
interface Names {
  /** Entries that stay: a query taken out of this place brings them along. */
  readonly plain: readonly SqlNode[];
  readonly taken: ReadonlyMap<string, TakenEntry>;
}

interface TakenEntry {
  readonly table: string;
  readonly columns: readonly string[];
}

/**
 * Takes the queries that ask models out of FROM, WITH, UNION and expressions, innermost first. Throws `UnsupportedSql`
 * for a recursive one.
 */
export function splitNested(query: SqlNode): SplitQuery {
  const nested: NestedQuery[] = [];
  const kept = new Map<string, string>();
  return { query: settle(query, { plain: [], taken: new Map() }), nested };

  /** A copy of a query within which nothing asks but its own level. */
  function settle(written: SqlNode, outer: Names): SqlNode {
    const names = entries(written).reduce(define, outer);
    const own = names.plain.filter((entry) => !outer.plain.includes(entry));
    const replace = (node: SqlNode): SqlNode | undefined => {
      if (text(node, 'type') === 'BASE_TABLE') return named(node, names);
      if (!isQuery(node)) return undefined;
      const settled = settle(node, names);
      return runsAlone(settled) ? allOf(takeOut(settled, names)) : settled;
    };
    const level = Object.entries(written).filter(([key]) => key !== 'cte_map');
    return {
      ...Object.fromEntries(level.map(([key, value]) => [key, mapNodes(value, replace)])),
      cte_map: { map: own },
    };
  }

  function define(names: Names, entry: SqlNode): Names {
    const name = text(entry, 'key').toLowerCase();
    const value = child(entry, 'value') ?? {};
    const body = child(child(value, 'query') ?? {}, 'node') ?? {};
    const inside = findSemantic(body);
    if (text(body, 'type') === 'RECURSIVE_CTE_NODE' && inside !== undefined) {
      const message = `${shown(spelledName(inside))} in a recursive query is not supported`;
      throw fault('UnsupportedSql', message, inside, 'Make the recursion plain and ask about its rows.');
    }
    const settled = settle(body, names);
    const others = names.plain.filter((other) => text(other, 'key').toLowerCase() !== name);
    if (runsAlone(settled)) {
      const table = takeOut(settled, names);
      return { plain: others, taken: new Map(names.taken).set(name, { table, columns: texts(value, 'aliases') }) };
    }
    const taken = new Map([...names.taken].filter(([other]) => other !== name));
    const plain = { ...entry, value: { ...value, query: { ...child(value, 'query'), node: settled } } };
    return { plain: [...others, plain], taken };
  }

  function takeOut(settled: SqlNode, { plain }: Names): string {
    const key = treeKey(settled);
    const known = kept.get(key);
    if (known !== undefined) return known;
    const own = entries(settled);
    const hidden = new Set(own.map((entry) => text(entry, 'key').toLowerCase()));
    const around = plain.filter((entry) => !hidden.has(text(entry, 'key').toLowerCase()));
    const table = `${tablePrefix}${nested.length}`;
    nested.push({ table, query: { ...settled, cte_map: { map: [...around, ...own] } } });
    if (settled[keptMark] === true) kept.set(key, table);
    return table;
  }
}

function runsAlone(query: SqlNode): boolean {
  return query[keptMark] === true || findSemantic(query) !== undefined;
}

function entries(query: SqlNode): readonly SqlNode[] {
  return nodes(child(query, 'cte_map') ?? {}, 'map').filter(isNode);
}

function allOf(table: string): SqlNode {
  return selectNode({ select: [star], from: baseTable(table, '') });
}

/** A name of WITH whose query was taken out is the table that it became. */
function named(node: SqlNode, { taken }: Names): SqlNode | undefined {
  const name = text(node, 'table_name');
  const entry = text(node, 'schema_name') === '' ? taken.get(name.toLowerCase()) : undefined;
  if (entry === undefined) return undefined;
  const given = texts(node, 'column_name_alias');
  const columns = [...given, ...entry.columns.slice(given.length)];
  return { ...node, table_name: entry.table, alias: text(node, 'alias') || name, column_name_alias: columns };
}
