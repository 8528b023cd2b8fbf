/** Reads constants out of a syntax tree. */
import type { JsonValue } from '../protocol/json.js';
import { child, isClass, isNode, nodes, type SqlNode, text } from './tree.js';

/** The text of a string literal; undefined for anything else. */
export function stringLiteral(node: SqlNode | undefined): string | undefined {
  if (node === undefined || !isClass(node, 'CONSTANT')) return undefined;
  const value = child(node, 'value');
  const type = value === undefined ? undefined : child(value, 'type');
  return type?.['id'] === 'VARCHAR' && typeof value?.['value'] === 'string' ? value['value'] : undefined;
}

/** A number, with a sign or decimals; undefined for anything else. */
export function numberLiteral(node: SqlNode | undefined): number | undefined {
  if (node === undefined) return undefined;
  if (isClass(node, 'FUNCTION') && text(node, 'function_name') === '-' && nodes(node, 'children').length === 1) {
    const positive = numberLiteral(nodes(node, 'children')[0]);
    return positive === undefined ? undefined : -positive;
  }
  const value = isClass(node, 'CONSTANT') ? child(node, 'value') : undefined;
  const raw = value?.['value'];
  const type = value === undefined ? undefined : child(value, 'type');
  if (typeof raw !== 'number' || type === undefined) return undefined;
  // a DECIMAL constant is stored as an integer with its scale beside it
  const info = child(type, 'type_info');
  const scale = type['id'] === 'DECIMAL' ? info?.['scale'] : 0;
  return typeof scale === 'number' ? raw / 10 ** scale : undefined;
}

/** TRUE and FALSE; DuckDB's parser writes them as a cast of 't' and 'f'. */
export function booleanLiteral(node: SqlNode | undefined): boolean | undefined {
  if (node === undefined) return undefined;
  if (isClass(node, 'CAST')) {
    const word = stringLiteral(child(node, 'child'))?.toLowerCase();
    const target = child(node, 'cast_type')?.['id'];
    return target === 'BOOLEAN' && word !== undefined && ['t', 'f', 'true', 'false'].includes(word)
      ? word.startsWith('t')
      : undefined;
  }
  const raw: JsonValue | undefined = isClass(node, 'CONSTANT') ? child(node, 'value')?.['value'] : undefined;
  return typeof raw === 'boolean' ? raw : undefined;
}

/** A constant of any shape as JSON, a date as its text; undefined for anything else. */
export function jsonLiteral(node: SqlNode | undefined): JsonValue | undefined {
  if (node === undefined) return undefined;
  const scalar = stringLiteral(node) ?? numberLiteral(node) ?? booleanLiteral(node) ?? dateLiteral(node);
  if (scalar !== undefined) return scalar;
  if (isClass(node, 'CONSTANT') && child(node, 'value')?.['is_null'] === true) return null;
  const items = listLiteral(node)?.map(jsonLiteral);
  if (items !== undefined) return items.includes(undefined) ? undefined : (items as readonly JsonValue[]);
  const fields = structLiteral(node)?.map(([name, value]) => [name, jsonLiteral(value)] as const);
  if (fields === undefined || fields.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(fields) as { readonly [key: string]: JsonValue };
}

/** `DATE '2024-02-29'`, which is a cast of text. */
function dateLiteral(node: SqlNode): string | undefined {
  const isDate = isClass(node, 'CAST') && child(node, 'cast_type')?.['id'] === 'DATE';
  return isDate ? stringLiteral(child(node, 'child')) : undefined;
}

/** Items of `[a, b]`; undefined for anything else. */
export function listLiteral(node: SqlNode | undefined): readonly SqlNode[] | undefined {
  return isCallOf(node, 'list_value') ? nodes(node, 'children') : undefined;
}

/** Fields of `{a: x}` in order, keyed by their alias; undefined for anything else. */
export function structLiteral(node: SqlNode | undefined): readonly (readonly [string, SqlNode])[] | undefined {
  if (!isCallOf(node, 'struct_pack')) return undefined;
  return nodes(node, 'children').map((field) => [text(field, 'alias'), field] as const);
}

/** Items of `(a, b)`; undefined for anything else. */
export function tupleLiteral(node: SqlNode | undefined): readonly SqlNode[] | undefined {
  return isCallOf(node, 'row') ? nodes(node, 'children') : undefined;
}

function isCallOf(node: SqlNode | undefined, name: string): node is SqlNode {
  return isNode(node) && isClass(node, 'FUNCTION') && text(node, 'function_name') === name;
}
