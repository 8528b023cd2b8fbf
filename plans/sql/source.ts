/** The relation that a query reads: its SQL, its columns, and which of them hold images or audio. */
import { fault } from './fault.js';
import { isJoin, relationAlias, visibleRelations } from './join-tree.js';
import { nodeBeside } from './locate.js';
import type { PlanColumn, TableSchema } from './plan.js';
import { child, isClass, isNode, nodes, selectNode, type SqlNode, star, text, texts, sameName } from './tree.js';

/** `SELECT * FROM <relation> WHERE <conditions>`, with the query's WITH in front. */
export function sourceSelect(query: SqlNode, conditions: SqlNode | null): SqlNode {
  return selectNode({
    select: [star],
    from: child(query, 'from_table') ?? {},
    where: conditions,
    ctes: query['cte_map'] ?? { map: [] },
  });
}

/** The registered table when the relation is one as it stands. */
export function plainTable(query: SqlNode, tables: readonly TableSchema[]): TableSchema | undefined {
  const from = child(query, 'from_table');
  if (from === undefined || text(from, 'type') !== 'BASE_TABLE' || child(from, 'sample') !== undefined)
    return undefined;
  if (texts(from, 'column_name_alias').length > 0 || cteNamed(query, text(from, 'table_name')) !== undefined)
    return undefined;
  return tableNamed(text(from, 'table_name'), tables);
}

/** Adds modalities to columns of the source. Throws `UnsupportedSql` for names that Fermata keeps for itself. */
export function withModalities(
  columns: readonly PlanColumn[],
  query: SqlNode,
  tables: readonly TableSchema[],
): readonly PlanColumn[] {
  refuseReservedNames(columns, query);
  return markMedia(columns, mediaColumns(sourceSelect(query, null), tables, []));
}

/** The columns with their modalities, by name. */
export function markMedia(columns: readonly PlanColumn[], media: Media): readonly PlanColumn[] {
  return columns.map((column) => {
    const modality = media.get(column.name.toLowerCase());
    return modality === undefined ? { name: column.name, type: column.type } : { ...column, modality };
  });
}

/** Throws `UnsupportedSql` for columns whose names Fermata keeps for itself. */
export function refuseReservedNames(columns: readonly PlanColumn[], query: SqlNode): void {
  const reserved = columns.find(({ name }) => /^__(?:row$|a_)/i.test(name));
  if (reserved !== undefined) {
    const hint = `Rename it in FROM: FROM (SELECT * RENAME ("${reserved.name}" AS other) FROM t) AS t.`;
    throw fault(
      'UnsupportedSql',
      `the column name "${reserved.name}" is reserved`,
      nodeBeside(child(query, 'from_table') ?? query) ?? nodeBeside(query),
      hint,
    );
  }
}

type Media = ReadonlyMap<string, 'image' | 'audio'>;

/** Columns of a query's result that are media columns of a table, under whatever name they come out. */
export function mediaColumns(query: SqlNode, tables: readonly TableSchema[], outer: readonly SqlNode[]): Media {
  const found = new Map<string, 'image' | 'audio'>();
  if (text(query, 'type') !== 'SELECT_NODE') {
    for (const side of [child(query, 'left'), child(query, 'right'), ...nodes(query, 'children')]) {
      if (side !== undefined)
        for (const [name, media] of mediaColumns(side, tables, [query, ...outer])) found.set(name, media);
    }
    return found;
  }
  const from = child(query, 'from_table');
  const inner = relationMedia(from, tables, [query, ...outer]);
  for (const item of nodes(query, 'select_list')) {
    const parts = isClass(item, 'COLUMN_REF') ? texts(item, 'column_names') : [];
    const last = parts.at(-1);
    const relation = isJoin(from) ? visibleRelations(from).find((name) => sameName(name, parts.at(-2))) : undefined;
    const media = last === undefined ? undefined : inner.get(mediaKey(relation, last));
    if (last !== undefined && media !== undefined) found.set((text(item, 'alias') || last).toLowerCase(), media);
    if (isClass(item, 'STAR')) for (const [name, kind] of renamedMedia(inner, item)) found.set(name, kind);
  }
  return found;
}

/** Beside a join a column also goes by its relation. */
function mediaKey(relation: string | undefined, column: string): string {
  return (relation === undefined ? column : `${relation}${ofRelation}${column}`).toLowerCase();
}

/** Stands between relation and column in the key of a joined relation's column. */
const ofRelation = '\0';

function renamedMedia(media: Media, starred: SqlNode): Media {
  const renames = new Map(nodes(starred, 'rename_list').map((pair) => [columnName(pair['key']), text(pair, 'value')]));
  const replaced = new Set(nodes(starred, 'replace_list').map((pair) => text(pair, 'key').toLowerCase()));
  const kept = [...media].filter(([name]) => !replaced.has(name) && !name.includes(ofRelation));
  return new Map(kept.map(([name, kind]) => [(renames.get(name) ?? name).toLowerCase(), kind] as const));
}

function columnName(value: SqlNode[string] | undefined): string {
  return (isNode(value) ? text(value, 'column') : typeof value === 'string' ? value : '').toLowerCase();
}

function relationMedia(from: SqlNode | undefined, tables: readonly TableSchema[], outer: readonly SqlNode[]): Media {
  if (from === undefined) return new Map();
  const kind = text(from, 'type');
  if (kind === 'JOIN') {
    const sides = [child(from, 'left'), child(from, 'right')].map((side) => joinedMedia(side, tables, outer));
    return new Map(sides.flatMap((side) => [...side]));
  }
  if (kind === 'SUBQUERY') {
    const inner = child(child(from, 'subquery') ?? {}, 'node');
    return inner === undefined ? new Map() : renamedByPosition(mediaColumns(inner, tables, outer), from);
  }
  if (kind !== 'BASE_TABLE') return new Map();
  const name = text(from, 'table_name');
  for (const [depth, query] of outer.entries()) {
    const cte = cteNamed(query, name);
    if (cte !== undefined) return mediaColumns(cte, tables, outer.slice(depth + 1));
  }
  const columns = tableNamed(name, tables)?.columns ?? [];
  const aliases = texts(from, 'column_name_alias');
  return new Map(
    columns.flatMap(({ name: column, modality }, i) =>
      modality === undefined ? [] : [[(aliases[i] ?? column).toLowerCase(), modality] as const],
    ),
  );
}

function joinedMedia(from: SqlNode | undefined, tables: readonly TableSchema[], outer: readonly SqlNode[]): Media {
  const media = relationMedia(from, tables, outer);
  if (from === undefined || text(from, 'type') === 'JOIN') return media;
  const relation = relationAlias(from);
  const named = [...media].map(([name, kind]) => [mediaKey(relation, name), kind] as const);
  return new Map([...media, ...named]);
}

/** Column aliases of a subquery rename by position, which its media columns alone do not tell: then none is known. */
function renamedByPosition(media: Media, from: SqlNode): Media {
  return texts(from, 'column_name_alias').length > 0 ? new Map() : media;
}

function cteNamed(query: SqlNode, name: string): SqlNode | undefined {
  const map = child(query, 'cte_map')?.['map'];
  const entries = Array.isArray(map) ? (map as readonly SqlNode[string][]).filter(isNode) : [];
  const entry = entries.find((candidate) => sameName(text(candidate, 'key'), name));
  const value = entry === undefined ? undefined : child(entry, 'value');
  return value === undefined ? undefined : child(child(value, 'query') ?? {}, 'node');
}

function tableNamed(name: string, tables: readonly TableSchema[]): TableSchema | undefined {
  return tables.find((table) => sameName(table.name, name));
}
