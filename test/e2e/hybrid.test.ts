import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fermata, RunOptions } from '../../client/api.js';
import { withMeasured } from '../../plans/explain/measured.js';
import type { ChatCall } from '../support/endpoint.js';
import { openProject, type Project } from '../support/project.js';

/** Joins and nested queries through the real server, workers, store and ledger; only the endpoint is a fake. */

let project: Project;
let fermata: Fermata;
let answer: (call: ChatCall) => string;

beforeAll(async () => {
  project = await openProject({ endpoint: { answer: (call) => answer(call) } });
  fermata = await project.connect();
});
afterAll(async () => {
  await fermata.close();
  await project.close();
});

const yes = () => '{"answer": true}';

async function tables(of: Readonly<Record<string, readonly string[]>>): Promise<Record<string, string>> {
  const named = Object.entries(of).map(async ([name, lines]) => {
    return [name, await project.write(`${name}-${files++}.csv`, `${lines.join('\n')}\n`)] as const;
  });
  return Object.fromEntries(await Promise.all(named));
}
let files = 0;

async function run(sql: string, options: RunOptions) {
  const before = project.endpoint.requests.length;
  const started = await fermata.sql(sql, options);
  const result = await started.result();
  return { started, result, rows: await started.rows(), requests: project.endpoint.requests.slice(before) };
}

describe('a join', () => {
  /** A tenth of the worked example of PLOP, §1: 100 books, 500 reviews of which 300 have 3 stars or more. */
  const books = ['id,title', ...[...Array(100).keys()].map((id) => `${id},book ${id}.`)];
  const reviews = [
    'id,book,stars,txt',
    // 250 of the good ones are of the first 80 books, the rest of no book
    ...[...Array(500).keys()].map((id) => `${id},${id < 250 ? id % 80 : 900 + id},${id < 300 ? 4 : 1},review ${id}.`),
  ];
  const sql =
    "SELECT count(*) AS n FROM books b JOIN reviews r ON r.book = b.id WHERE r.stars >= 3 AND AI_FILTER('Is it a novel? {b.title}') AND AI_FILTER('Is it kind? {r.txt}')";

  test('asks about the distinct values of the rows that are left behind it', async () => {
    answer = yes;
    const { rows, requests } = await run(sql, { tables: await tables({ books, reviews }) });
    expect(rows.map(({ n }) => Number(n))).toEqual([250]);
    expect(requests).toHaveLength(80 + 250);
  });

  test('asks about every value of a relation where its conditions are pushed down, with the same result', async () => {
    answer = yes;
    const { rows, requests } = await run(sql, {
      tables: await tables({ books, reviews }),
      placement: 'pushdown',
      cache: false,
    });
    expect(rows.map(({ n }) => Number(n))).toEqual([250]);
    expect(requests).toHaveLength(100 + 300);
  });

  test.each(['cost', 'adaptive'] as const)(
    'asks about the fewest prompts where %s decides, with the same result',
    async (placement) => {
      answer = yes;
      const options = { tables: await tables({ books, reviews }), cache: false };
      const { rows, requests } = await run(sql, { ...options, placement });
      expect(rows.map(({ n }) => Number(n))).toEqual([250]);
      expect(requests).toHaveLength(80 + 250);
    },
  );

  test('keeps how it was placed', async () => {
    answer = yes;
    const { started } = await run(sql, { tables: await tables({ books, reviews }), placement: 'pushdown' });
    const [placed, ...others] = (await fermata.run(started.id).description())?.joins ?? [];
    expect(placed).toMatchObject({ strategy: 'pushdown', calls: 400 });
    expect(JSON.stringify(placed?.root)).toContain('semantic-filter');
    expect(others).toEqual([]);
    const { operators } = await started.result();
    const counted = JSON.stringify(withMeasured(placed!, operators).root, ['kind', 'inputs', 'measured', 'distinct']);
    expect(Array.from(counted.matchAll(/"distinct":(\d+)/g), ([, distinct]) => Number(distinct))).toEqual([100, 300]);
  });

  test('is priced under every placement before anything is asked', async () => {
    const asked = project.endpoint.requests.length;
    const { placements: compared } = await fermata.compare(sql, {
      tables: await tables({ books, reviews }),
      cache: false,
    });
    const high = compared.map(({ placement, total, joins }) => [placement, total.calls.high, joins.length]);
    expect(high).toEqual([
      ['pullup', 330, 1],
      ['pushdown', 400, 1],
      ['cost', 330, 1],
      ['adaptive', 330, 1],
    ]);
    // PLOP's own cost model, which takes no filter to spare another relation prompts
    expect(compared.map(({ joins }) => joins[0]?.calls)).toEqual([330, 400, 330, 330]);
    expect(project.endpoint.requests).toHaveLength(asked);
  });

  test('asks less where one filter has rejected what the other would be asked about', async () => {
    answer = ({ prompt }) => JSON.stringify({ answer: !/book \d*[02468]\./.test(prompt) });
    const { rows, requests } = await run(sql, { tables: await tables({ books, reviews }), cache: false });
    expect(rows.map(({ n }) => Number(n))).toEqual([125]);
    expect(requests).toHaveLength(80 + 125);
  });

  test('on meaning asks about the pairs that its plain conditions leave', async () => {
    const left = ['k,a', ...[...Array(30).keys()].map((i) => `${i},left ${i}.`)];
    const right = ['k,b', ...[...Array(30).keys()].map((i) => `${29 - i},right ${i % 10}.`)];
    answer = ({ prompt }) => JSON.stringify({ answer: /right [123]\./.test(prompt) });
    const { rows, requests } = await run(
      "SELECT l.k FROM l JOIN r ON l.k = r.k AND AI_FILTER('Do {l.a} and {r.b} name the same thing?') ORDER BY l.k",
      { tables: await tables({ l: left, r: right }) },
    );
    expect(requests).toHaveLength(30);
    expect(rows.map(({ k }) => Number(k))).toEqual([6, 7, 8, 16, 17, 18, 26, 27, 28]);
  });
});

describe('nested queries', () => {
  const notes = ['id,txt', ...[...Array(12).keys()].map((id) => `${id},note ${id}.`)];
  const number = (prompt: string): number => Number(/note (\d+)\./.exec(prompt)?.[1]);

  test('run one after the other, and the cost report lists the calls of each', async () => {
    answer = ({ prompt }) => (prompt.includes('short') ? JSON.stringify({ answer: number(prompt) < 10 }) : 'said');
    const { rows, result, requests } = await run(
      "WITH short AS (SELECT * FROM notes WHERE AI_FILTER('Is it short? {txt}')) SELECT AI_COMPLETE('Say {txt}') AS s, id FROM short WHERE id > 6 UNION ALL SELECT 'all', count(*) FROM short ORDER BY id",
      { tables: await tables({ notes }) },
    );
    expect(rows.map(({ s, id }) => [s, Number(id)])).toEqual([
      ['said', 7],
      ['said', 8],
      ['said', 9],
      ['all', 10],
    ]);
    expect(requests).toHaveLength(12 + 3);
    expect(result.operators.map(({ id, calls }) => [id, calls])).toEqual([
      ['f0', 12],
      ['c0', 3],
    ]);
    expect(result.spend.calls).toBe(15);
  });

  test('list the rows that failed in any of them', async () => {
    answer = ({ prompt, body }) =>
      /note [37]\./.test(JSON.stringify(body))
        ? 'I would rather not say'
        : JSON.stringify({ answer: prompt.includes('true?') });
    const { rows, result, started } = await run(
      "SELECT count(*) AS n FROM (SELECT * FROM notes WHERE AI_FILTER('Is it true? {txt}')) t WHERE id <> 7 AND NOT AI_FILTER('Is it false? {txt}') AND id < 12",
      { tables: await tables({ notes }), cache: false },
    );
    expect(rows.map(({ n }) => Number(n))).toEqual([10]);
    const failed = (await started.errors()).map(({ row, operator }) => [operator, row]);
    expect(failed).toEqual([
      ['f0', 4],
      ['f0', 8],
    ]);
    expect(result.errors.count).toBe(2);
  });

  test('a budget that ends in the first leaves the rest undecided', async () => {
    answer = yes;
    const { result } = await run(
      "SELECT id FROM (SELECT * FROM notes WHERE AI_FILTER('Is it one? {txt}')) t WHERE AI_FILTER('Is it two? {txt}')",
      { tables: await tables({ notes }), budget: { calls: 5 }, cache: false },
    );
    expect(result.stop).toBe('budget-calls');
    expect(result.spend.calls).toBe(5);
    expect(result.undecided).toBeGreaterThanOrEqual(7);
  });

  test('are estimated as if every filter passed, narrowed by what filters pass on the whole', async () => {
    answer = ({ prompt }) => JSON.stringify({ answer: number(prompt) < 3 });
    const estimate = await fermata.estimate(
      "SELECT id FROM (SELECT * FROM notes WHERE AI_FILTER('Is it kept? {txt}')) t WHERE AI_FILTER('Is it held? {txt}')",
      { tables: await tables({ notes }), cache: false },
    );
    expect(estimate.calls.map(({ calls }) => calls)).toEqual([
      { low: 12, expected: 12, high: 12 },
      { low: 0, expected: 2, high: 12 },
    ]);
  });
});
