import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExplainedNode } from '../../../plans/explain/placement.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';
import { standInMacros } from '../../support/sql-stand-ins.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench([
    ...standInMacros,
    "CREATE TABLE books AS SELECT i AS id, CASE WHEN i % 5 > 0 THEN 'book ' || i % 7 END AS title FROM range(40) r(i)",
    'CREATE TABLE loans AS SELECT i % 30 AS book, i % 11 AS reader FROM range(90) r(i)',
    "CREATE TABLE readers AS SELECT i AS id, CASE WHEN i % 3 > 0 THEN 'reader ' || i % 4 END AS name FROM range(11) r(i)",
  ]);
});
afterAll(() => bench.close());

const from = 'FROM books b JOIN loans l ON l.book = b.id JOIN readers r ON r.id = l.reader';
const both = "AI_FILTER('Would {r.name} like {b.title}?')";
const where = `${both} AND AI_FILTER('Is it a novel? {b.title}') AND AI_FILTER('Is it a child? {r.name}') AND b.id > 8`;

const nodesOf = (node: ExplainedNode): ExplainedNode[] => [node, ...node.inputs.flatMap(nodesOf)];

it.each([
  ['pullup', `${from} WHERE b.id > 8`],
  ['pushdown', undefined],
] as const)('counts prompts without a NULL in them, each once: %s', async (placement, behind) => {
  const { plans } = await bench.explain(`SELECT b.id ${from} WHERE ${where}`, placement);
  const asks = plans
    .flatMap(({ root }) => nodesOf(root))
    .flatMap((node) => (node.asks === undefined ? [] : [node.asks]));
  expect(asks).toHaveLength(3);
  const distinct = async (columns: string, rows: string) => {
    const known = columns.split(', ').map((name) => `${name} IS NOT NULL`);
    const { rows: counted } = await bench.query(
      `SELECT count(*) FROM (SELECT DISTINCT ${columns} ${rows}${rows.includes('WHERE') ? ' AND' : ' WHERE'} ${known.join(' AND ')})`,
    );
    return Number(counted[0]?.[0]);
  };
  const expected = await Promise.all([
    distinct('r.name, b.title', `${from} WHERE b.id > 8`),
    distinct('b.title', behind ?? 'FROM books b WHERE b.id > 8'),
    distinct('r.name', behind ?? 'FROM readers r'),
  ]);
  expect(asks.map((one) => one.distinct).sort()).toEqual([...expected].sort());
});

it('reads the same rows once for all that is counted of them', async () => {
  const { counted } = await bench.explain(`SELECT b.id ${from} WHERE ${where}`, 'cost');
  const rows = counted.map((sql) => sql.slice(sql.indexOf(' FROM ', sql.indexOf('(SELECT'))));
  expect(new Set(rows).size).toBe(counted.length);
  // three relations, one of them without its condition too, and two joins
  expect(counted).toHaveLength(6);
});
