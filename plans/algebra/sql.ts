import { FermataError } from '../protocol/errors.js';
import { quoteName } from '../relation/names.js';
import { classOf } from '../relation/types.js';
import { expressionSql } from './expression-text.js';
import { aggregates } from './functions.js';
import type { Aggregate, Group, Join, Operator, OperatorKind, OperatorOf, TopK } from './operator.js';
import { inputsOf, schemaOf } from './walk.js';

/**
 * DuckDB SQL of the relational part of a plan: one common table expression of each operator, so that a shared part is
 * computed once. `stored` names the relation that holds what an operator gives, for those that have run already: every
 * `Apply` must be one of them.
 *
 * @throws FermataError `Internal` for an `Apply` that has not run
 */
export function relationalSql(
  root: Operator,
  stored: (operator: Operator) => string | undefined = () => undefined,
): string {
  const names = new Map<Operator, string>();
  const parts: string[] = [];
  const visit = (operator: Operator): string => {
    const known = names.get(operator);
    if (known !== undefined) return known;
    const relation = stored(operator);
    const body =
      relation === undefined
        ? queryOf(operator, inputsOf(operator).map(visit))
        : `SELECT * FROM ${quoteName(relation)}`;
    const name = `n${names.size + 1}`;
    names.set(operator, name);
    parts.push(`${name} AS MATERIALIZED (${body})`);
    return name;
  };
  const last = visit(root);
  return `WITH ${parts.join(',\n  ')}\nSELECT ${columnList(root)} FROM ${last}`;
}

type Queries = { readonly [K in OperatorKind]: (operator: OperatorOf<K>, inputs: readonly string[]) => string };

const queries: Queries = {
  scan: (operator) => `SELECT ${columnList(operator)} FROM ${quoteName(operator.relation)}`,
  select: (operator, [input = '']) => `SELECT * FROM ${input} WHERE ${expressionSql(operator.predicate)}`,
  project: (operator, [input = '']) => {
    const columns = operator.columns.map(
      ({ name, expression }) => `${expressionSql(expression)} AS ${quoteName(name)}`,
    );
    return `SELECT ${columns.join(', ')} FROM ${input}`;
  },
  join: joinQuery,
  group: groupQuery,
  union: (operator, inputs) => {
    const columns = columnList(operator);
    return inputs.map((input) => `SELECT ${columns} FROM ${input}`).join(' UNION ALL ');
  },
  topk: topkQuery,
  apply: (operator) => {
    throw new FermataError('Internal', `${operator.task} is not a relational operator.`);
  },
};

function queryOf(operator: Operator, inputs: readonly string[]): string {
  return (queries[operator.kind] as (operator: Operator, inputs: readonly string[]) => string)(operator, inputs);
}

const joins = { inner: 'JOIN', left: 'LEFT JOIN', semi: 'SEMI JOIN', anti: 'ANTI JOIN' } as const;

function joinQuery(operator: Join, [left = '', right = '']: readonly string[]): string {
  return `SELECT ${columnList(operator)} FROM ${left} ${joins[operator.how]} ${right} ON ${expressionSql(operator.on)}`;
}

function groupQuery({ keys, aggregates: list }: Group, [input = '']: readonly string[]): string {
  const names = keys.map(quoteName);
  const made = list.map((aggregate) => `${aggregateSql(aggregate)} AS ${quoteName(aggregate.name)}`);
  const grouped = names.length === 0 ? '' : ` GROUP BY ${names.join(', ')}`;
  return `SELECT ${[...names, ...made].join(', ')} FROM ${input}${grouped}`;
}

function aggregateSql({ aggregate, of, order }: Aggregate): string {
  const ordered = order === undefined ? '' : ` ORDER BY ${quoteName(order)}`;
  return aggregates[aggregate].sql(of === undefined ? '' : quoteName(of), ordered);
}

function topkQuery({ input, by, k, per }: TopK, [name = '']: readonly string[]): string {
  const wanted = by.map(
    ({ expression, descending }) => `${expressionSql(expression)} ${descending ? 'DESC' : 'ASC'} NULLS LAST`,
  );
  const ties = tieBreakers(input).map((attribute) => `${quoteName(attribute)} ASC NULLS LAST`);
  const order = [...wanted, ...ties].join(', ');
  const partition = per.length === 0 ? '' : `PARTITION BY ${per.map(quoteName).join(', ')} `;
  const over = `${partition}${order === '' ? '' : `ORDER BY ${order}`}`.trim();
  return `SELECT * FROM ${name} QUALIFY row_number() OVER (${over}) <= ${k}`;
}

/** Attributes that break the ties of a top-k: all that can be compared, in order of their names. */
export function tieBreakers(input: Operator): readonly string[] {
  const comparable = new Set(['boolean', 'number', 'text', 'time']);
  return schemaOf(input)
    .filter(({ type }) => comparable.has(classOf(type) ?? ''))
    .map(({ name }) => name)
    .sort();
}

function columnList(operator: Operator): string {
  return schemaOf(operator)
    .map(({ name }) => quoteName(name))
    .join(', ');
}
