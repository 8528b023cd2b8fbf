/** Finds queries that need a score only for `ORDER BY … LIMIT k`. */
import { isAnswerRef, answerPrefix } from './answers.js';
import type { CallDraft } from './collect.js';
import type { QueryPlan } from './plan.js';
import { type Block, changesRows, isAggregated, namedItem, wholeNumber } from './row-order.js';
import { child, findNode, nodes, type SqlNode, text, texts } from './tree.js';

/**
 * The score that decides the first rows of a query, when any values of the same order would give the same rows: it is the
 * first sort key before a LIMIT, and is read nowhere else, but for select items that are the score itself.
 */
export function topOf(block: Block, calls: readonly CallDraft[]): QueryPlan['top'] {
  const { select, undecided } = block;
  const modifiers = nodes(select, 'modifiers');
  const ofType = (type: string): SqlNode | undefined => modifiers.find((modifier) => text(modifier, 'type') === type);
  const limit = ofType('LIMIT_MODIFIER');
  const [first, ...others] = nodes(ofType('ORDER_MODIFIER') ?? {}, 'orders');
  if (limit === undefined || first === undefined || ofType('DISTINCT_MODIFIER') !== undefined) return undefined;
  if (undecided || isAggregated(select) || child(select, 'qualify') !== undefined) return undefined;
  if (findNode(select['select_list'], changesRows) !== undefined) return undefined;
  const offset = child(limit, 'offset');
  const counts = [wholeNumber(child(limit, 'limit')), offset === undefined ? 0 : wholeNumber(offset)];
  const key = child(first, 'expression') ?? {};
  const id = answerOf(namedItem(key, select) ?? key);
  const scored = calls.find((call) => call.id === id && call.parameters.kind === 'score');
  if (scored === undefined || counts.includes(undefined)) return undefined;
  const items = nodes(select, 'select_list').filter((item) => answerOf(item) !== scored.id);
  const elsewhere = [...items, ...others, ...calls.flatMap(({ inputs }) => inputs.map(({ node }) => node))];
  const aliases = nodes(select, 'select_list').filter((item) => answerOf(item) === scored.id);
  const named = new Set(aliases.map((item) => text(item, 'alias').toLowerCase()));
  if (findNode(elsewhere, (node) => answerOf(node) === scored.id) !== undefined) return undefined;
  if (findNode(others, (node) => named.has(texts(node, 'column_names').at(-1)?.toLowerCase() ?? '')) !== undefined)
    return undefined;
  const count = counts.reduce<number>((sum, part) => sum + (part ?? 0), 0);
  return { call: scored.id, count, least: text(first, 'type') !== 'DESCENDING' };
}

/** The call whose answer an expression is. */
function answerOf(node: SqlNode): string | undefined {
  return isAnswerRef(node) ? texts(node, 'column_names')[1]?.slice(answerPrefix.length) : undefined;
}
