/** Checks and evens out what a query reads from, wherever it stands in the query. */
import type { JsonValue } from '../protocol/json.js';
import { rowFunctions } from './duckdb-functions.js';
import { fault } from './fault.js';
import { stringLiteral } from './literals.js';
import { didYouMean } from './nearest.js';
import type { TableSchema } from './plan.js';
import { fileFunctions } from './tokens.js';
import { baseTable, child, isNode, mapNodes, nodes, type SqlNode, text } from './tree.js';

/**
 * A copy of the query in which file functions have become the tables registered for them. Throws `UnknownTable` for a
 * table that is not registered and `UnsupportedSql` for what would read something beside the registered tables.
 */
export function normaliseRelations(query: SqlNode, tables: readonly TableSchema[]): SqlNode {
  const known = new Set(tables.map(({ name }) => name.toLowerCase()));
  const ctes = new Set(cteNames(query).map((name) => name.toLowerCase()));
  const replace = (node: SqlNode): SqlNode | undefined => {
    if (node['class'] !== undefined) return undefined;
    const kind = text(node, 'type');
    if (kind === 'TABLE_FUNCTION') return tableFunction(node, known, tables);
    if (kind === 'SHOW_REF') {
      throw fault('UnsupportedSql', 'DESCRIBE, SHOW and SUMMARIZE cannot run here', node, 'Query the table itself.');
    }
    if (kind !== 'BASE_TABLE') return undefined;
    const name = text(node, 'table_name');
    const isCte = text(node, 'schema_name') === '' && ctes.has(name.toLowerCase());
    return isCte ? undefined : registered(node, known, tables);
  };
  return mapNodes(query, replace);
}

function registered(node: SqlNode, known: ReadonlySet<string>, tables: readonly TableSchema[]): SqlNode {
  const name = text(node, 'table_name');
  if (/^__(?:rows|source|q\d+)$/i.test(name)) {
    throw fault('UnsupportedSql', `the table name "${name}" is reserved`, node, 'Give the table another name.');
  }
  const schema = text(node, 'schema_name').toLowerCase();
  const found =
    known.has(name.toLowerCase()) && (schema === '' || schema === 'main') && text(node, 'catalog_name') === '';
  if (!found) {
    const names = tables.map((table) => table.name);
    const hint = [didYouMean(name, names), `Give it with --table ${/^\w+$/.test(name) ? name : 'name'}=path.`];
    const shownName = schema === '' ? name : `${schema}.${name}`;
    throw fault('UnknownTable', `there is no table "${shownName}"`, node, hint.join(' ').trim());
  }
  return { ...node, alias: text(node, 'alias') || stem(name), schema_name: '' };
}

/** The name that DuckDB gives a file in FROM: its base name up to the first dot. */
function stem(name: string): string {
  if (!/[./\\]/.test(name)) return name;
  const base = name.split(/[/\\]/).at(-1) ?? name;
  return base.split('.')[0] || name;
}

function tableFunction(node: SqlNode, known: ReadonlySet<string>, tables: readonly TableSchema[]): SqlNode | undefined {
  const call = child(node, 'function');
  const name = call === undefined ? '' : text(call, 'function_name').toLowerCase();
  if (call === undefined || !fileFunctions.has(name)) {
    if (rowFunctions.has(name)) return undefined;
    const hint = 'Register what it reads as a table: --table name=path.';
    throw fault('UnsupportedSql', `${name}(…) cannot stand in FROM`, node, hint);
  }
  const [file, ...options] = nodes(call, 'children');
  const path = stringLiteral(file);
  if (path === undefined || options.length > 0) {
    const hint = 'Convert the file to plain CSV or Parquet first, or register it: --table name=path.';
    throw fault('UnsupportedSql', `${name} takes one file name and no options here`, options[0] ?? node, hint);
  }
  const columns = node['column_name_alias'] ?? [];
  const table = { ...baseTable(path, text(node, 'alias')), column_name_alias: columns, sample: node['sample'] ?? null };
  return registered({ ...table, query_location: node['query_location'] ?? null }, known, tables);
}

/** Names of all common table expressions of a query, on any level. */
function cteNames(query: SqlNode): string[] {
  const names: string[] = [];
  mapNodes(query, (node) => {
    const map = child(node, 'cte_map')?.['map'];
    for (const entry of Array.isArray(map) ? (map as readonly JsonValue[]) : [])
      if (isNode(entry)) names.push(text(entry, 'key'));
    return undefined;
  });
  return names;
}
