/**
 * Outer, semi and anti joins on meaning. Such a condition decides more than which pairs stay, so it cannot become a filter
 * (design: not decomposed). The pairs that meet it are found first, as a nested query over numbered rows; the join then
 * compares row numbers.
 */
import { fault } from './fault.js';
import { isJoin, relationAlias, visibleRelations } from './join-tree.js';
import { findSemantic } from './recognise.js';
import { asTable } from './nested.js';
import { rowNumber } from './row-number.js';
import type { TableSchema } from './plan.js';
import { withSemiJoins } from './semi-joins.js';
import {
  child,
  columnRef,
  isClass,
  isQuery,
  mapNodes,
  nodes,
  selectNode,
  type SqlNode,
  star,
  subquery,
  text,
  texts,
} from './tree.js';

/** How the left side meets the pairs, and then the right side; semi and anti joins show no right side. */
const ways: Readonly<Partial<Record<string, { readonly pairs: string; readonly right?: string }>>> = {
  LEFT: { pairs: 'LEFT', right: 'LEFT' },
  RIGHT: { pairs: 'INNER', right: 'RIGHT' },
  FULL: { pairs: 'LEFT', right: 'FULL' },
  SEMI: { pairs: 'SEMI' },
  ANTI: { pairs: 'ANTI' },
};

/**
 * A copy of the query in which such joins compare row numbers; conditions on subqueries that ask have become such joins. Throws `UnsupportedSql` where a side is itself a join.
 */
export function withPairs(query: SqlNode, tables: readonly TableSchema[]): SqlNode {
  let count = 0;
  return rewrite(query);

  function rewrite(value: SqlNode): SqlNode {
    if (!isQuery(value)) return mapNodes(value, (node) => (isQuery(node) ? rewrite(node) : undefined));
    const inner = Object.entries(value).map(([key, part]) => [
      key,
      mapNodes(part, (node) => (isQuery(node) ? rewrite(node) : undefined)),
    ]);
    const level = withSemiJoins(Object.fromEntries(inner) as SqlNode, tables, (left, { kind, right, condition }) => ({
      ...join(kind, left, right, [], []),
      condition,
    }));
    const from = child(level, 'from_table');
    if (from === undefined || text(level, 'type') !== 'SELECT_NODE') return level;
    const hidden: Hidden[] = [];
    const joined = rewriteJoin(from, hidden);
    if (hidden.length === 0) return level;
    return { ...level, from_table: joined, select_list: nodes(level, 'select_list').map((item) => hide(item, hidden)) };
  }

  function rewriteJoin(from: SqlNode, hidden: Hidden[]): SqlNode {
    if (!isJoin(from)) return from;
    const [left, right] = [child(from, 'left') ?? {}, child(from, 'right') ?? {}];
    const way = ways[text(from, 'join_type')];
    const condition = child(from, 'condition');
    const asks = findSemantic(condition);
    if (way === undefined || asks === undefined) {
      return { ...from, left: rewriteJoin(left, hidden), right: rewriteJoin(right, hidden) };
    }
    const [leftName, ...more] = visibleRelations(left);
    if (leftName === undefined || more.length > 0 || isJoin(right)) {
      const hint = 'Put that side into a subquery: FROM (SELECT … FROM a JOIN b ON …) AS ab LEFT JOIN c ON ….';
      throw fault('UnsupportedSql', 'a semantic condition of an outer join joins two relations', asks, hint);
    }
    const at = count++;
    const keys = { left: `__left${at}`, right: `__right${at}`, pairLeft: `__l${at}`, pairRight: `__r${at}` };
    const pairs = `__m${at}`;
    const sides = {
      left: numbered(rewriteJoin(left, hidden), leftName, keys.left),
      right: numbered(right, relationAlias(right), keys.right),
    };
    const names = { left: leftName, right: relationAlias(right) };
    const matched = selectNode({
      select: [columnRef([names.left, keys.left], keys.pairLeft), columnRef([names.right, keys.right], keys.pairRight)],
      from: { ...from, join_type: 'INNER', left: sides.left, right: sides.right },
    });
    const met = join(way.pairs, sides.left, subquery(matched, pairs), [names.left, keys.left], [pairs, keys.pairLeft]);
    hidden.push({ relation: names.left, columns: [keys.left] });
    if (way.right === undefined) return met;
    hidden.push({ relation: pairs, columns: [keys.pairLeft, keys.pairRight] });
    hidden.push({ relation: names.right, columns: [keys.right] });
    return join(way.right, met, sides.right, [names.right, keys.right], [pairs, keys.pairRight]);
  }
}

/** Columns of ours that `*` must not show. */
interface Hidden {
  readonly relation: string;
  readonly columns: readonly string[];
}

function hide(item: SqlNode, hidden: readonly Hidden[]): SqlNode {
  if (!isClass(item, 'STAR') || item['columns'] === true) return item;
  const relation = text(item, 'relation_name').toLowerCase();
  const names = hidden.filter((one) => relation === '' || one.relation.toLowerCase() === relation);
  return { ...item, exclude_list: [...texts(item, 'exclude_list'), ...names.flatMap(({ columns }) => columns)] };
}

/** The relation with a number for each row, kept as a table: the same row has the same number wherever it is read. */
function numbered(relation: SqlNode, alias: string, key: string): SqlNode {
  const rows = selectNode({ select: [{ ...rowNumber, alias: key }, star], from: relation });
  return subquery(asTable(rows), alias);
}

function join(kind: string, left: SqlNode, right: SqlNode, a: readonly string[], b: readonly string[]): SqlNode {
  return {
    type: 'JOIN',
    alias: '',
    sample: null,
    left,
    right,
    condition: equal(columnRef(a), columnRef(b)),
    join_type: kind,
    ref_type: 'REGULAR',
    using_columns: [],
    delim_flipped: false,
    duplicate_eliminated_columns: [],
  };
}

function equal(left: SqlNode, right: SqlNode): SqlNode {
  return { class: 'COMPARISON', type: 'COMPARE_EQUAL', alias: '', left, right };
}
