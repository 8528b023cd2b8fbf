/** Queries with semantic calls that this version cannot run: each is named, with its place and a rewrite. */
import { unstableFunctions } from './duckdb-functions.js';
import { fault } from './fault.js';
import { findSemantic, shown, spelledName } from './recognise.js';
import { resolveColumn, type Scope } from './scope.js';
import { child, findNode, isClass, isQuery, nodes, type SqlNode, text, texts } from './tree.js';

/** Throws `UnsupportedSql` unless the query is one SELECT over one relation with its semantic calls on the outer level. */
export function refuseShape(query: SqlNode, call: SqlNode): void {
  const name = shown(spelledName(call));
  if (text(query, 'type') !== 'SELECT_NODE') {
    const hint =
      'Make the union plain and ask about its rows: SELECT … FROM (SELECT … UNION ALL SELECT …) AS t WHERE ….';
    throw fault('UnsupportedSql', `${name} inside UNION, INTERSECT or EXCEPT is not supported`, call, hint);
  }
  const from = child(query, 'from_table');
  if (from === undefined || text(from, 'type') === 'EMPTY') throw misplaced(call, 'without FROM', 'Add FROM table.');
  if (child(query, 'sample') !== undefined) {
    throw fault('UnsupportedSql', 'USING SAMPLE with semantic calls is not supported', call, 'FROM t TABLESAMPLE 10%');
  }
  refuseInside(query);
}

function refuseInside(query: SqlNode): void {
  const level = { ...query, from_table: null, cte_map: null };
  const lambda = findNode(level, (node) => isClass(node, 'LAMBDA') && findSemantic(node) !== undefined);
  if (lambda !== undefined) {
    throw misplaced(findSemantic(lambda) ?? lambda, 'inside a lambda', 'UNNEST the list in a subquery in FROM first.');
  }
  const limit = nodes(query, 'modifiers').find((modifier) => text(modifier, 'type').startsWith('LIMIT'));
  const inLimit = findSemantic(limit);
  if (inLimit !== undefined) throw misplaced(inLimit, 'in LIMIT', 'LIMIT takes a number.');
}

function misplaced(call: SqlNode, place: string, hint: string): Error {
  return fault('UnsupportedSql', `${shown(spelledName(call))} ${place} is not supported`, call, hint);
}

/** A subquery in an expression; its rows come from tables that only the source can read. */
export function findSubquery(value: Parameters<typeof findNode>[0]): SqlNode | undefined {
  return findNode(value, (node) => isClass(node, 'SUBQUERY'));
}

/** A function whose value another execution would not repeat. */
export function findUnstable(value: Parameters<typeof findNode>[0], scope: Scope): SqlNode | undefined {
  return findNode(value, (node) => {
    if (isClass(node, 'FUNCTION')) return unstableFunctions.has(text(node, 'function_name').toLowerCase());
    const parts = isClass(node, 'COLUMN_REF') ? texts(node, 'column_names') : [];
    const [name = ''] = parts;
    return parts.length === 1 && unstableFunctions.has(name.toLowerCase()) && resolveColumn(scope, parts) === undefined;
  });
}

/** Throws `UnsupportedSql` for parts that only the source could compute, when they stand outside a plain WHERE condition. */
export function refuseUnmovable(value: Parameters<typeof findNode>[0], scope: Scope): void {
  const subquery = findSubquery(value);
  if (subquery !== undefined) {
    const inner = child(subquery, 'subquery') ?? subquery;
    const place = findNode(inner, (node) => typeof node['query_location'] === 'number') ?? subquery;
    const hint =
      'Compute it in FROM: FROM (SELECT *, (SELECT …) AS x FROM t) AS t. A plain WHERE condition may have one.';
    throw fault(
      'UnsupportedSql',
      'a subquery outside plain WHERE conditions is not supported with semantic calls',
      place,
      hint,
    );
  }
  const unstable = findUnstable(value, scope);
  if (unstable !== undefined) {
    const name = text(unstable, 'function_name') || texts(unstable, 'column_names').join('.');
    const hint = `Compute it once, in FROM: FROM (SELECT *, ${name}() AS x FROM t) AS t.`;
    throw fault(
      'UnsupportedSql',
      `${name} outside plain WHERE conditions is not supported with semantic calls`,
      unstable,
      hint,
    );
  }
}

/** Throws `UnsupportedSql` for `COLUMNS(…)`, a star inside an expression, and a whole row used as a value; subqueries may have them. */
export function refuseWholeRows(value: Parameters<typeof findNode>[0], scope: Scope): void {
  const starred = findNode(value, (node) => isClass(node, 'STAR'), isQuery);
  if (starred !== undefined) {
    const hint = 'Name the columns.';
    throw fault('UnsupportedSql', 'a star inside an expression is not supported with semantic calls', starred, hint);
  }
  const row = findNode(
    value,
    (node) => {
      const parts = isClass(node, 'COLUMN_REF') ? texts(node, 'column_names') : [];
      const alone = parts.length === 1 && parts[0]?.toLowerCase() === scope.alias.toLowerCase();
      return alone && resolveColumn(scope, parts) === undefined && !scope.aliases.has(scope.alias.toLowerCase());
    },
    isQuery,
  );
  if (row !== undefined) {
    throw wholeRow(row);
  }
}

export function wholeRow(at: SqlNode): Error {
  const message = 'a whole row as a value is not supported with semantic calls';
  return fault('UnsupportedSql', message, at, 'Name the columns.');
}
