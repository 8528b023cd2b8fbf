/** In which order rows are asked and shown, and when a query may stop before it has asked about all of them. */
import { readsAnswer } from './answers.js';
import { aggregateFunctions } from './duckdb-functions.js';
import { numberLiteral } from './literals.js';
import { expandAliases, type Scope } from './scope.js';
import { child, columnRef, findNode, isClass, nodes, orderBy, type SqlNode, text, texts } from './tree.js';

/** The query after its calls have been taken out. */
export interface Block {
  /** Its SELECT node: answers in place of calls, stars written out. */
  readonly select: SqlNode;
  readonly scope: Scope;
  /** Whether WHERE still reads an answer. */
  readonly undecided: boolean;
}

export interface RowOrder {
  /** Sort keys of the rows query, before the row number. */
  readonly keys: readonly SqlNode[];
  readonly stopAfter?: number;
  readonly offset?: number;
  /** Modifiers of the final query: the user's, and the row number as the last sort key where that can be. */
  readonly modifiers: readonly SqlNode[];
}

export function rowOrder(block: Block): RowOrder {
  const modifiers = nodes(block.select, 'modifiers');
  const perRow =
    !isAggregated(block.select) && !modifiers.some((modifier) => text(modifier, 'type') === 'DISTINCT_MODIFIER');
  const complete = perRow ? withRowNumber(modifiers, block.scope) : modifiers;
  const kept = perRow ? keptRows(block, modifiers) : undefined;
  return { keys: [], ...kept, modifiers: complete };
}

/** LIMIT and the plain sort keys, when which rows are kept does not depend on an answer behind the filters. */
function keptRows(block: Block, modifiers: readonly SqlNode[]): Omit<RowOrder, 'modifiers'> | undefined {
  const { select, undecided } = block;
  const limit = modifiers.find((modifier) => text(modifier, 'type') === 'LIMIT_MODIFIER');
  const count = wholeNumber(limit === undefined ? undefined : child(limit, 'limit'));
  const offsetNode = limit === undefined ? undefined : child(limit, 'offset');
  const offset = offsetNode === undefined ? 0 : wholeNumber(offsetNode);
  if (count === undefined || offset === undefined || undecided || child(select, 'qualify') !== undefined)
    return undefined;
  if (findNode(select['select_list'], changesRows) !== undefined) return undefined;
  const orders = modifiers
    .filter((modifier) => text(modifier, 'type') === 'ORDER_MODIFIER')
    .flatMap((m) => nodes(m, 'orders'));
  const keys: SqlNode[] = [];
  for (const order of orders) {
    const key = child(order, 'expression');
    const plain = key === undefined ? undefined : plainKey(key, block);
    if (plain === undefined) return undefined;
    keys.push({ ...order, expression: plain });
  }
  return { keys, stopAfter: count + offset, ...(offset === 0 ? {} : { offset }) };
}

/** Windows look at other rows; UNNEST makes several or none of one. */
export function changesRows(node: SqlNode): boolean {
  return (
    isClass(node, 'WINDOW') || (isClass(node, 'FUNCTION') && text(node, 'function_name').toLowerCase() === 'unnest')
  );
}

/** A sort key over the source's columns, positions and aliases resolved; undefined when that cannot be. */
function plainKey(key: SqlNode, { select, scope }: Block): SqlNode | undefined {
  if (findNode(key, (node) => isClass(node, 'STAR')) !== undefined) return undefined;
  const aliases = aliasesOf(select);
  const item = namedItem(key, select);
  if (numberLiteral(key) !== undefined && item === undefined) return undefined;
  const plain = { ...expandAliases({ ...scope, aliases }, item ?? key), alias: '' };
  return readsAnswer(plain) || findNode(plain, changesRows) !== undefined ? undefined : plain;
}

function aliasesOf(select: SqlNode): Map<string, SqlNode> {
  const aliases = new Map(nodes(select, 'select_list').map((item) => [text(item, 'alias').toLowerCase(), item]));
  aliases.delete('');
  return aliases;
}

/** The select item that a sort key names by position or alias; a lone name is an alias first, as in DuckDB. */
export function namedItem(key: SqlNode, select: SqlNode): SqlNode | undefined {
  const position = numberLiteral(key);
  if (position !== undefined) return nodes(select, 'select_list')[position - 1];
  const parts = isClass(key, 'COLUMN_REF') ? texts(key, 'column_names') : [];
  return parts.length === 1 ? aliasesOf(select).get(parts[0]?.toLowerCase() ?? '') : undefined;
}

/** Whether rows of the result are groups of rows. */
export function isAggregated(select: SqlNode): boolean {
  const folds = (node: SqlNode): boolean =>
    isClass(node, 'FUNCTION') && aggregateFunctions.has(text(node, 'function_name').toLowerCase());
  const groups = Array.isArray(select['group_sets']) && select['group_sets'].length > 0;
  if (groups || select['aggregate_handling'] !== 'STANDARD_HANDLING' || child(select, 'having') !== undefined)
    return true;
  return findNode([select['select_list'] ?? null, select['modifiers'] ?? null], folds) !== undefined;
}

/** Rows keep their order in the source where the query leaves it open, so that a query always gives the same rows. */
function withRowNumber(modifiers: readonly SqlNode[], scope: Scope): readonly SqlNode[] {
  const last = orderBy(columnRef([scope.alias, '__row']));
  const sorted = modifiers.some((modifier) => text(modifier, 'type') === 'ORDER_MODIFIER');
  if (!sorted) return [{ type: 'ORDER_MODIFIER', orders: [last] }, ...modifiers];
  return modifiers.map((modifier) => {
    const all = findNode(modifier['orders'], (node) => isClass(node, 'STAR')) !== undefined;
    if (text(modifier, 'type') !== 'ORDER_MODIFIER' || all) return modifier;
    return { ...modifier, orders: [...nodes(modifier, 'orders'), last] };
  });
}

/** A literal that is a whole number of 0 or more. */
export function wholeNumber(node: SqlNode | undefined): number | undefined {
  const value = numberLiteral(node);
  return value !== undefined && Number.isSafeInteger(value) && value >= 0 ? value : undefined;
}
