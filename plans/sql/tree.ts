/**
 * DuckDB's serialised syntax tree as plain JSON. Every expression has `class`, every relation and query node has `type`;
 * a walk over all values therefore reaches every part of a query without a list of its kinds.
 */
import type { JsonValue } from '../protocol/json.js';

export type SqlNode = { readonly [key: string]: JsonValue };

export function isNode(value: JsonValue | undefined): value is SqlNode {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A text field; empty when absent. */
export function text(node: SqlNode, key: string): string {
  const value = node[key];
  return typeof value === 'string' ? value : '';
}

/** The nodes of a list field. */
export function nodes(node: SqlNode, key: string): readonly SqlNode[] {
  const value = node[key];
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter(isNode) : [];
}

/** The texts of a list field. */
export function texts(node: SqlNode, key: string): readonly string[] {
  const value = node[key];
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => typeof item === 'string') : [];
}

export function child(node: SqlNode, key: string): SqlNode | undefined {
  const value = node[key];
  return isNode(value) ? value : undefined;
}

export function isClass(node: SqlNode, name: string): boolean {
  return node['class'] === name;
}

/** Offset into the SQL text, in UTF-16 units; absent on what DuckDB made up itself. */
export function positionOf(node: SqlNode): number | undefined {
  const value = node['query_location'];
  return typeof value === 'number' ? value : undefined;
}

export function isQuery(node: SqlNode): boolean {
  return /_NODE$/.test(text(node, 'type')) && node['class'] === undefined;
}

/** First node, outermost first, that passes the test; what `skip` names is not entered. */
export function findNode(
  value: JsonValue | undefined,
  test: (node: SqlNode) => boolean,
  skip: (node: SqlNode) => boolean = () => false,
): SqlNode | undefined {
  if (Array.isArray(value)) {
    for (const item of value as readonly JsonValue[]) {
      const found = findNode(item, test, skip);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  if (!isNode(value)) return undefined;
  if (test(value)) return value;
  if (isClass(value, 'CONSTANT') || skip(value)) return undefined;
  return findNode(Object.values(value), test, skip);
}

/**
 * A copy in which `replace` has put other nodes; it is asked outermost first, and what it returns is not entered again.
 */
export function mapNodes<T extends JsonValue>(value: T, replace: (node: SqlNode) => SqlNode | undefined): T {
  return mapValue(value, replace) as T;
}

function mapValue(value: JsonValue, replace: (node: SqlNode) => SqlNode | undefined): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map((item) => mapValue(item, replace));
  if (!isNode(value)) return value;
  const replaced = replace(value);
  if (replaced !== undefined) return replaced;
  if (isClass(value, 'CONSTANT')) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapValue(item, replace)]));
}

/** Text that is equal for equal trees wherever they stand in the query and whatever they are called. */
export function treeKey(node: SqlNode): string {
  return JSON.stringify({ ...node, alias: '' }, (key, value: unknown) =>
    key === 'query_location' ? undefined : value,
  );
}

export function columnRef(parts: readonly string[], alias = ''): SqlNode {
  return { class: 'COLUMN_REF', type: 'COLUMN_REF', alias, column_names: parts };
}

/** The parts of a condition that must all be met. */
export function conjuncts(condition: SqlNode | undefined): readonly SqlNode[] {
  if (condition === undefined) return [];
  return condition['type'] === 'CONJUNCTION_AND' ? nodes(condition, 'children').flatMap(conjuncts) : [condition];
}

export function allOf(conjuncts: readonly SqlNode[]): SqlNode | null {
  const [first, ...rest] = conjuncts;
  if (first === undefined) return null;
  return rest.length === 0 ? first : { class: 'CONJUNCTION', type: 'CONJUNCTION_AND', alias: '', children: conjuncts };
}

export function baseTable(name: string, alias: string): SqlNode {
  return {
    type: 'BASE_TABLE',
    alias,
    sample: null,
    schema_name: '',
    table_name: name,
    column_name_alias: [],
    catalog_name: '',
    at_clause: null,
  };
}

/** A query as a relation; `written` keeps the sample and column names of what it stands for. */
export function subquery(node: SqlNode, alias: string, written: SqlNode = {}): SqlNode {
  return {
    type: 'SUBQUERY',
    alias,
    sample: written['sample'] ?? null,
    column_name_alias: written['column_name_alias'] ?? [],
    subquery: { node },
  };
}

/** Names of relations and columns are told apart as DuckDB does: case is nothing. */
export function sameName(a: string, b: string | undefined): boolean {
  return a.toLowerCase() === b?.toLowerCase();
}

export const star: SqlNode = {
  class: 'STAR',
  type: 'STAR',
  alias: '',
  relation_name: '',
  exclude_list: [],
  replace_list: [],
  columns: false,
  expr: null,
  qualified_exclude_list: [],
  rename_list: [],
};

interface SelectParts {
  readonly select: readonly SqlNode[];
  readonly from: SqlNode;
  readonly where?: SqlNode | null;
  readonly modifiers?: readonly SqlNode[];
  readonly ctes?: JsonValue;
}

/** A plain SELECT. */
export function selectNode(parts: SelectParts): SqlNode {
  return {
    type: 'SELECT_NODE',
    modifiers: parts.modifiers ?? [],
    cte_map: parts.ctes ?? { map: [] },
    select_list: parts.select,
    from_table: parts.from,
    where_clause: parts.where ?? null,
    group_expressions: [],
    group_sets: [],
    aggregate_handling: 'STANDARD_HANDLING',
    having: null,
    sample: null,
    qualify: null,
  };
}

export const noTable: SqlNode = { type: 'EMPTY', alias: '', sample: null };

export function orderBy(expression: SqlNode): SqlNode {
  return { type: 'ORDER_DEFAULT', null_order: 'ORDER_DEFAULT', expression };
}

/** A call; `position`: where in the user's text it stands. */
export function functionCall(name: string, children: readonly SqlNode[], position?: number): SqlNode {
  return {
    class: 'FUNCTION',
    type: 'FUNCTION',
    alias: '',
    ...(position === undefined ? {} : { query_location: position }),
    function_name: name,
    schema: '',
    children,
    filter: null,
    order_bys: { type: 'ORDER_MODIFIER', orders: [] },
    distinct: false,
    is_operator: false,
    export_state: false,
    catalog: '',
  };
}

export function integerConstant(value: number): SqlNode {
  return {
    class: 'CONSTANT',
    type: 'VALUE_CONSTANT',
    alias: '',
    value: { type: { id: 'INTEGER', type_info: null }, is_null: false, value },
  };
}
