import { didYouMean } from './nearest.js';
import { fault } from './fault.js';
import type { PlanColumn } from './plan.js';
import { columnRef, isClass, mapNodes, nodes, type SqlNode, text, texts } from './tree.js';

/** The names that expressions of the query can use. */
export interface Scope {
  /** Name of the source in expressions. */
  readonly alias: string;
  readonly columns: readonly PlanColumn[];
  /** Expressions of the select list by their alias in lower case. */
  readonly aliases: ReadonlyMap<string, SqlNode>;
  /** The relations of a join: the source holds their columns under names of its own. */
  readonly relations?: readonly JoinedRelation[];
}

export interface JoinedRelation {
  readonly alias: string;
  /** Names in the source by the relation's own, in lower case. */
  readonly columns: ReadonlyMap<string, string>;
}

export interface ResolvedColumn {
  readonly column: PlanColumn;
  /** Fields of a struct column that the reference goes on into. */
  readonly fields: readonly string[];
}

/** Expressions of a select list by the aliases that the user gave them, in lower case. */
export function aliasesOf(select: readonly SqlNode[]): ReadonlyMap<string, SqlNode> {
  const aliases = new Map<string, SqlNode>();
  for (const item of select) {
    const alias = text(item, 'alias').toLowerCase();
    if (alias !== '' && !aliases.has(alias)) aliases.set(alias, { ...item, alias: '' });
  }
  return aliases;
}

/** What a dotted name means, by DuckDB's rules: `column`, `alias.column`, `main.alias.column`, each with struct fields behind it. */
export function resolveColumn(scope: Scope, parts: readonly string[]): ResolvedColumn | undefined {
  return resolveJoined(scope, parts) ?? resolveInSource(scope, parts);
}

function resolveJoined(scope: Scope, parts: readonly string[]): ResolvedColumn | undefined {
  const [alias = '', name = '', ...fields] = parts[0]?.toLowerCase() === 'main' ? parts.slice(1) : parts;
  const relation = scope.relations?.find((candidate) => candidate.alias.toLowerCase() === alias.toLowerCase());
  const held = relation?.columns.get(name.toLowerCase());
  const column = held === undefined ? undefined : scope.columns.find((candidate) => candidate.name === held);
  return column && { column, fields };
}

function resolveInSource(scope: Scope, parts: readonly string[]): ResolvedColumn | undefined {
  const starts = parts[0]?.toLowerCase() === 'main' ? [2, 1, 0] : [1, 0];
  for (const start of starts) {
    if (start > 0 && parts[start - 1]?.toLowerCase() !== scope.alias.toLowerCase()) continue;
    const column = scope.columns.find(({ name }) => name.toLowerCase() === parts[start]?.toLowerCase());
    if (column !== undefined) return { column, fields: parts.slice(start + 1) };
  }
  return undefined;
}

/** The reference under which every part of the plan can read a column. */
export function sourceRef(scope: Scope, column: string, fields: readonly string[] = []): SqlNode {
  return columnRef([scope.alias, column, ...fields]);
}

/**
 * A copy in which aliases of the select list that name no column have become what they stand for; an alias that stands for
 * itself stays.
 */
export function expandAliases(scope: Scope, expression: SqlNode, within: readonly string[] = []): SqlNode {
  const hidden = new Set([...within, ...lambdaParameters(expression)]);
  return mapNodes(expression, (node) => {
    const parts = isClass(node, 'COLUMN_REF') ? texts(node, 'column_names') : [];
    const name = parts[0]?.toLowerCase();
    if (parts.length !== 1 || name === undefined || hidden.has(name)) return undefined;
    if (resolveColumn(scope, parts) !== undefined) return undefined;
    const target = scope.aliases.get(name);
    const expanded = target === undefined ? undefined : expandAliases(scope, target, [...within, name]);
    return expanded === undefined ? undefined : { ...expanded, alias: text(node, 'alias') };
  });
}

/** A copy in which `column.upper()` is `upper(column)`; DuckDB's parser takes the column for a schema. */
export function withoutMethodCalls(scope: Scope, expression: SqlNode): SqlNode {
  return mapNodes(expression, (node) => {
    const parts = [text(node, 'catalog'), text(node, 'schema')].filter((part) => part !== '');
    if (!isClass(node, 'FUNCTION') || parts.length === 0 || resolveColumn(scope, parts) === undefined) return undefined;
    const rest = nodes(node, 'children').map((argument) => withoutMethodCalls(scope, argument));
    return { ...node, catalog: '', schema: '', children: [columnRef(parts), ...rest] };
  });
}

/** Names that lambdas of an expression bind; they are no columns there. */
export function lambdaParameters(expression: SqlNode): string[] {
  const names: string[] = [];
  mapNodes(expression, (node) => {
    if (isClass(node, 'LAMBDA')) {
      const left = node['lhs'] as SqlNode;
      for (const parameter of [left, ...nodes(left, 'children')])
        names.push(...texts(parameter, 'column_names').map((name) => name.toLowerCase()));
    }
    return undefined;
  });
  return names;
}

/** The error for a name that is no column, with what was probably meant. */
export function unknownColumn(scope: Scope, name: string, at: SqlNode | number | undefined, hint = ''): Error {
  const holders = (scope.relations ?? []).filter(({ columns }) => columns.has(name.toLowerCase()));
  if (holders.length > 1) {
    const choices = holders.map(({ alias }) => `${alias}.${name}`).join(' or ');
    return fault('UnknownColumn', `"${name}" is ambiguous`, at, `Write ${choices}.`);
  }
  const relation = scope.relations?.map(({ alias }) => alias).join(', ') ?? scope.alias;
  const columns = scope.relations?.flatMap((one) => [...one.columns.keys()]) ?? scope.columns.map((one) => one.name);
  // ours are no help
  const known = [...new Set([...columns, ...scope.aliases.keys()])].filter((one) => !one.startsWith('__'));
  const last = name.split('.').at(-1) ?? name;
  const near = didYouMean(last, known) || `Columns: ${known.slice(0, 12).join(', ')}${known.length > 12 ? ', …' : ''}.`;
  return fault('UnknownColumn', `"${name}" names no column of ${relation}`, at, [near, hint].join(' ').trim());
}
