import { FermataError } from '../protocol/errors.js';
import { quoteName, quoteText } from '../relation/names.js';
import { classOf } from '../relation/types.js';
import { expressionSql } from './expression-text.js';
import { aggregates } from './functions.js';
import type { Aggregate, Group, Join, Operator, OperatorKind, OperatorOf, TopK } from './operator.js';
import { joinsKeepRight } from './operators.js';
import { inputsOf, operatorsOf, schemaOf } from './walk.js';

/** How the SQL of a plan is written. */
export interface SqlOptions {
  /** The relation that holds what an operator gives, for those that have run already: every `Apply` must be one of them. */
  readonly stored?: (operator: Operator) => string | undefined;
  /** Adds the column {@link pathColumn}; stored relations must have it. */
  readonly paths?: boolean;
}

/**
 * The column that tells of which tuples a row was made: `reviews:3` is row 3 of a relation, `reviews:3/2` the second row that a
 * task made of it, `(a:1+b:2)` a pair, `{a:1,a:4}` a group, of which the first hundred are named.
 */
export const pathColumn = '__path';

/** Longest path, in characters, and most rows of a group that are named. */
const pathLimits = { characters: 2_000, members: 100 } as const;

/**
 * DuckDB SQL of the relational part of a plan: one common table expression of each operator, so that a shared part is
 * computed once.
 *
 * @throws FermataError `Internal` for an `Apply` that has not run
 */
export function relationalSql(root: Operator, { stored = () => undefined, paths = false }: SqlOptions = {}): string {
  const names = new Map<Operator, string>();
  const parts: string[] = [];
  const prefix = freePrefix(root, stored);
  const visit = (operator: Operator): string => {
    const known = names.get(operator);
    if (known !== undefined) return known;
    const relation = stored(operator);
    const body =
      relation === undefined
        ? queryOf(operator, inputsOf(operator).map(visit), paths)
        : `SELECT ${columnList(operator, paths)} FROM ${quoteName(relation)}`;
    const name = `${prefix}${names.size + 1}`;
    names.set(operator, name);
    parts.push(`${name} AS MATERIALIZED (${body})`);
    return name;
  };
  const last = visit(root);
  return `WITH ${parts.join(',\n  ')}\nSELECT ${columnList(root, paths)} FROM ${last}`;
}

/** No relation may be named as a part of the query is: the part would be read in its place. */
function freePrefix(root: Operator, stored: (operator: Operator) => string | undefined): string {
  const taken = operatorsOf(root).flatMap((operator) => [
    ...(operator.kind === 'scan' ? [operator.relation.toLowerCase()] : []),
    ...[stored(operator) ?? []].flat().map((name) => name.toLowerCase()),
  ]);
  let prefix = 'n';
  while (taken.some((name) => name.startsWith(prefix))) prefix += '_';
  return prefix;
}

type Queries = {
  readonly [K in OperatorKind]: (operator: OperatorOf<K>, inputs: readonly string[], paths: boolean) => string;
};

const queries: Queries = {
  scan: (operator, _, paths) => {
    const path = `, ${quoteText(`${operator.relation}:`)} || row_number() OVER () AS ${pathColumn}`;
    return `SELECT ${columnList(operator)}${paths ? path : ''} FROM ${quoteName(operator.relation)}`;
  },
  select: (operator, [input = '']) => `SELECT * FROM ${input} WHERE ${expressionSql(operator.predicate)}`,
  project: (operator, [input = ''], paths) => {
    const columns = operator.columns.map(
      ({ name, expression }) => `${expressionSql(expression)} AS ${quoteName(name)}`,
    );
    return `SELECT ${[...columns, ...(paths ? [pathColumn] : [])].join(', ')} FROM ${input}`;
  },
  join: joinQuery,
  group: groupQuery,
  union: (operator, inputs, paths) => {
    const columns = columnList(operator, paths);
    return inputs.map((input) => `SELECT ${columns} FROM ${input}`).join(' UNION ALL ');
  },
  topk: topkQuery,
  apply: (operator) => {
    throw new FermataError('Internal', `${operator.task} is not a relational operator.`);
  },
};

function queryOf(operator: Operator, inputs: readonly string[], paths: boolean): string {
  return (queries[operator.kind] as Queries['select'] as (...given: readonly unknown[]) => string)(
    operator,
    inputs,
    paths,
  );
}

const joins = { inner: 'JOIN', left: 'LEFT JOIN', semi: 'SEMI JOIN', anti: 'ANTI JOIN' } as const;

function joinQuery(operator: Join, [left = '', right = '']: readonly string[], paths: boolean): string {
  const pair = `coalesce('(' || ${left}.${pathColumn} || '+' || ${right}.${pathColumn} || ')', ${left}.${pathColumn})`;
  const path = joinsKeepRight(operator.how) ? `${shortened(pair)} AS ${pathColumn}` : pathColumn;
  const columns = [columnList(operator), ...(paths ? [path] : [])].join(', ');
  return `SELECT ${columns} FROM ${left} ${joins[operator.how]} ${right} ON ${expressionSql(operator.on)}`;
}

function groupQuery({ keys, aggregates: list }: Group, [input = '']: readonly string[], paths: boolean): string {
  const names = keys.map(quoteName);
  const made = list.map((aggregate) => `${aggregateSql(aggregate)} AS ${quoteName(aggregate.name)}`);
  const members = `list_sort(list(${pathColumn}))[1:${pathLimits.members}]`;
  const path = shortened(`'{' || coalesce(array_to_string(${members}, ','), '') || '}'`);
  const columns = [...names, ...made, ...(paths ? [`${path} AS ${pathColumn}`] : [])];
  const grouped = names.length === 0 ? '' : ` GROUP BY ${names.join(', ')}`;
  return `SELECT ${columns.join(', ')} FROM ${input}${grouped}`;
}

function shortened(path: string): string {
  return `left(${path}, ${pathLimits.characters})`;
}

function aggregateSql({ aggregate, of, order }: Aggregate): string {
  const ordered = order === undefined ? '' : ` ORDER BY ${quoteName(order)}`;
  return aggregates[aggregate].sql(of === undefined ? '' : quoteName(of), ordered);
}

/** In its order, so that a result that ends with it is read best first. */
function topkQuery({ input, by, k, per }: TopK, [name = '']: readonly string[]): string {
  const wanted = by.map(
    ({ expression, descending }) => `${expressionSql(expression)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  const ties = tieBreakers(input).map((attribute) => `${quoteName(attribute)} ASC NULLS LAST`);
  const order = [...wanted, ...ties].join(', ');
  const partition = per.length === 0 ? '' : `PARTITION BY ${per.map(quoteName).join(', ')} `;
  const ordered = order === '' ? '' : `ORDER BY ${order}`;
  const over = `${partition}${ordered}`.trim();
  return `SELECT * FROM ${name} QUALIFY row_number() OVER (${over}) <= ${k} ${ordered}`.trim();
}

/** Attributes that break the ties of a top-k: all that can be compared, in order of their names. */
export function tieBreakers(input: Operator): readonly string[] {
  const comparable = new Set(['boolean', 'number', 'text', 'time']);
  return schemaOf(input)
    .filter(({ type }) => comparable.has(classOf(type) ?? ''))
    .map(({ name }) => name)
    .sort();
}

function columnList(operator: Operator, paths = false): string {
  return [...schemaOf(operator).map(({ name }) => quoteName(name)), ...(paths ? [pathColumn] : [])].join(', ');
}
