/** Writes `*` out: the plan's rows hold more columns than the user's relation. */
import { fault } from './fault.js';
import { refuseWholeRows } from './refuse.js';
import { type Scope, sourceRef, unknownColumn } from './scope.js';
import { child, isClass, isNode, nodes, type SqlNode, text, texts } from './tree.js';

/** The select list with every star, `t.*`, EXCLUDE, REPLACE and RENAME written as columns. Throws `UnknownColumn`. */
export function expandStars(
  select: readonly SqlNode[],
  scope: Scope,
  columnsOf: StarColumns = sourceColumns(scope),
): SqlNode[] {
  return select.flatMap((item) => {
    if (!isClass(item, 'STAR')) {
      refuseWholeRows(item, scope);
      return [item];
    }
    return expandStar(item, scope, columnsOf);
  });
}

/** What `relation.*` stands for, `*` for the relation `''`; undefined for a relation that the query does not read. */
export type StarColumns = (
  relation: string,
) => readonly { readonly name: string; readonly ref: SqlNode; readonly alias?: string }[] | undefined;

function sourceColumns(scope: Scope): StarColumns {
  return (relation) =>
    relation === '' || relation.toLowerCase() === scope.alias.toLowerCase()
      ? scope.columns.map(({ name }) => ({ name, ref: sourceRef(scope, name) }))
      : undefined;
}

function expandStar(item: SqlNode, scope: Scope, columnsOf: StarColumns): SqlNode[] {
  if (item['columns'] === true || child(item, 'expr') !== undefined) {
    const hint = 'Name the columns.';
    throw fault('UnsupportedSql', 'COLUMNS(…) is not supported with semantic calls', item, hint);
  }
  const relation = text(item, 'relation_name');
  const columns = columnsOf(relation);
  if (columns === undefined) {
    const relations = scope.relations?.map(({ alias }) => alias) ?? [scope.alias];
    const hint = `Write ${relations.map((name) => `${name}.*`).join(' or ')}`;
    throw fault('UnknownTable', `"${relation}" is not the relation of this query`, item, hint);
  }
  const excluded = excludedNames(item).map((name) => name.toLowerCase());
  const replaced = new Map(
    nodes(item, 'replace_list').map((pair) => [text(pair, 'key').toLowerCase(), child(pair, 'value')]),
  );
  const renamed = new Map(
    nodes(item, 'rename_list').map((pair) => [columnOf(pair['key']).toLowerCase(), text(pair, 'value')]),
  );
  const known = new Set(columns.map(({ name }) => name.toLowerCase()));
  const stranger = [...excluded, ...replaced.keys(), ...renamed.keys()].find((name) => !known.has(name));
  if (stranger !== undefined) throw unknownColumn(scope, stranger, item);
  return columns
    .filter(({ name }) => !excluded.includes(name.toLowerCase()))
    .map(({ name, ref, alias: shownAs = '' }) => {
      const value = replaced.get(name.toLowerCase());
      const alias = renamed.get(name.toLowerCase()) ?? shownAs;
      if (value === undefined) return { ...ref, alias };
      refuseWholeRows(value, scope);
      return { ...value, alias: name };
    });
}

function excludedNames(item: SqlNode): readonly string[] {
  const qualified = nodes(item, 'qualified_exclude_list').map((entry) => columnOf(entry));
  return [...texts(item, 'exclude_list'), ...qualified];
}

function columnOf(value: SqlNode[string] | undefined): string {
  if (isNode(value)) return text(value, 'column');
  return typeof value === 'string' ? value : '';
}
