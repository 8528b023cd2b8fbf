import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import { connect } from '../../client/connect.js';
import type { ChatCall } from '../support/endpoint.js';
import { openProject, type Project, reviews } from '../support/project.js';

/** The whole engine with its real server, workers, store and ledger; only the endpoint is a fake. */

let project: Project;
let fermata: Fermata;
let mode: 'right' | 'garbage-for-5' = 'right';

function answer({ prompt, system, body }: ChatCall): string {
  if (mode === 'garbage-for-5' && JSON.stringify(body).includes('review 5:')) return 'I would rather not say';
  if (/crash|good/i.test(system + prompt) && prompt.includes('good or bad')) return '{"answer": "good"}';
  if (prompt.includes('how good')) return `{"answer": ${/review (\d+)/.exec(prompt)?.[1] ?? 0}}`;
  return JSON.stringify({ answer: prompt.includes('bad film') });
}

beforeAll(async () => {
  project = await openProject({ endpoint: { answer } });
  fermata = await project.connect();
});
afterAll(async () => {
  await fermata.close();
  await project.close();
});

const filter = "SELECT id FROM reviews WHERE AI_FILTER('Is this a bad review? {text}') ORDER BY id";

describe('a query', () => {
  test('gives the rows that plain SQL would give with the same answers', async () => {
    const tables = { reviews: await project.write('a.csv', reviews(60)) };
    const run = await fermata.sql(filter, { tables });
    expect((await run.rows()).map((row) => Number(row['id']))).toEqual(
      [...Array(60).keys()].filter((id) => id % 3 === 0),
    );
    const result = await run.result();
    expect(result.spend).toMatchObject({ calls: 60, cached: 0, failed: 0, unpriced: 0 });
    expect(result.spend.usd).toBeGreaterThan(0);
    expect(result.stop).toBe('complete');
  });

  test('asks once for equal inputs, and nothing for what an earlier run has answered', async () => {
    const tables = { reviews: await project.write('b.csv', reviews(500, { distinct: 5, tag: 'b' })) };
    const before = project.endpoint.counts.calls;
    await (await fermata.sql(filter, { tables })).result();
    expect(project.endpoint.counts.calls - before).toBe(5);
    const again = await (await fermata.sql(filter, { tables })).result();
    expect(project.endpoint.counts.calls - before).toBe(5);
    expect(again.spend).toMatchObject({ calls: 0, cached: 5, usd: 0 });
    expect(again.spend.savedUsd).toBeGreaterThan(0);
    const fresh = await (await fermata.sql(filter, { tables, cache: false })).result();
    expect(fresh.spend).toMatchObject({ calls: 5, cached: 0 });
  });

  test('can be described by any process afterwards; an estimate leaves nothing to describe', async () => {
    const tables = { reviews: await project.write('described.csv', reviews(4, { tag: 'described' })) };
    const run = await fermata.sql(filter, { tables, budget: { calls: 3 }, onError: 'skip' });
    await run.result();
    const later = fermata.run(run.id);
    expect(await later.summary()).toMatchObject({ runId: run.id, state: 'done', sql: filter });
    const described = await later.description();
    expect(described?.request).toMatchObject({ sql: filter, onError: 'skip', tables: [{ name: 'reviews' }] });
    expect(described?.estimate?.total.calls.high).toBe(4);
    const free = await fermata.sql(filter, { tables });
    await free.result();
    expect(await free.description()).not.toHaveProperty('estimate');
    await fermata.estimate(filter, { tables });
    const kept = await readdir(join(project.dir, '.fermata', 'store', 'named'), { recursive: true });
    expect(kept.filter((name) => /(^|\/)e-/.test(name))).toEqual([]);
    await expect(fermata.run('q-none').summary()).rejects.toMatchObject({ code: 'RunNotFound' });
    expect(await fermata.run('q-none').description()).toBeUndefined();
  });

  test('options that have no effect are noted in the result and in the estimate', async () => {
    const tables = { reviews: await project.write('notes.csv', reviews(3, { tag: 'notes' })) };
    const sql = "SELECT id FROM reviews WHERE AI_FILTER('bad? {text}', {show_details: true})";
    const noted = ['AI_FILTER: show_details has no effect; models and error limits are options of the run'];
    expect((await fermata.estimate(sql, { tables })).notes).toEqual(noted);
    expect((await (await fermata.sql(sql, { tables })).result()).notes).toEqual(noted);
    expect(await (await fermata.sql(filter, { tables })).result()).not.toHaveProperty('notes');
  });

  test('LIMIT stops issuing calls once enough rows are sure', async () => {
    const tables = { reviews: await project.write('c.csv', reviews(1000, { tag: 'c' }).replaceAll('bad', 'fine')) };
    const run = await fermata.sql("SELECT id FROM reviews WHERE AI_FILTER('good? {text}') LIMIT 3", { tables });
    const result = await run.result();
    expect(result.rows.count).toBe(0);
    const limited = await fermata.sql(filter.replace('ORDER BY id', 'ORDER BY id LIMIT 3'), {
      tables: { reviews: await project.write('d.csv', reviews(1000)) },
      cache: false,
    });
    expect((await limited.rows()).map((row) => Number(row['id']))).toEqual([0, 3, 6]);
    expect((await limited.result()).spend.calls).toBeLessThan(200);
  });

  test('LIMIT asks values for the rows of the result alone, also after several filters', async () => {
    const tables = { reviews: await project.write('k.csv', reviews(600, { tag: 'k' })) };
    const sql =
      "SELECT id, AI_COMPLETE('say {text}') AS said FROM reviews " +
      "WHERE AI_FILTER('bad? {text}') AND AI_FILTER('really bad? {text}') ORDER BY id LIMIT 40 OFFSET 5";
    const run = await fermata.sql(sql, { tables });
    expect((await run.rows()).map((row) => Number(row['id']))).toEqual(
      Array.from({ length: 40 }, (_, at) => 3 * (at + 5)),
    );
    const { operators } = await run.result();
    const said = operators.find(({ operator }) => operator === 'complete');
    expect(said?.inputs).toBeLessThanOrEqual(45);
    expect(operators[0]?.inputs).toBeLessThan(600);
  });

  test('a budget of calls is kept, and the partial result is kept too', async () => {
    const tables = { reviews: await project.write('e.csv', reviews(300, { tag: 'e' })) };
    const result = await (await fermata.sql(filter, { tables, budget: { calls: 100 } })).result();
    expect(result.stop).toBe('budget-calls');
    expect(result.spend.calls).toBeLessThanOrEqual(100);
    expect(result.undecided).toBe(300 - result.spend.calls);
    expect(result.rows.count).toBeGreaterThan(0);
  });

  test('an answer that stays wrong is an error of that row alone', async () => {
    mode = 'garbage-for-5';
    const tables = { reviews: await project.write('f.csv', reviews(20, { tag: 'f' }).replaceAll('good', 'bad')) };
    const run = await fermata.sql(filter, { tables });
    const result = await run.result();
    expect(result.errors.count).toBe(1);
    expect(await run.errors()).toMatchObject([{ row: 6, operator: 'f0', code: 'badOutput' }]);
    expect(result.rows.count).toBe(19);
    await expect((await fermata.sql(filter, { tables, onError: 'fail' })).result()).rejects.toMatchObject({
      code: 'RowErrors',
    });
    const selected = "SELECT id, AI_FILTER('bad? {text}') AS bad FROM reviews ORDER BY id";
    const kept = await (await fermata.sql(selected, { tables, onError: 'null' })).rows();
    expect(kept).toHaveLength(20);
    expect(kept[5]?.['bad']).toBeNull();
    expect(await (await fermata.sql(selected, { tables, onError: 'skip' })).rows()).toHaveLength(19);
    mode = 'right';
  });

  test('NULL in gives NULL out without a call; empty tables give no rows', async () => {
    const before = project.endpoint.counts.calls;
    const tables = {
      t: await project.write('g.json', '[{"id":1,"text":null},{"id":2,"text":null}]'),
      none: await project.write('h.csv', 'id,text\n'),
    };
    const rows = await (
      await fermata.sql("SELECT id, AI_COMPLETE('say {text}') AS said FROM t ORDER BY id", { tables })
    ).rows();
    expect(rows.map((row) => row['said'])).toEqual([null, null]);
    expect(await (await fermata.sql("SELECT * FROM none WHERE AI_FILTER('x {text}')", { tables })).rows()).toEqual([]);
    expect(project.endpoint.counts.calls).toBe(before);
  });

  test('values are data: braces, quotes, newlines, emoji and instructions reach the prompt as they are', async () => {
    const nasty = [
      '{0} {text} }}',
      `"quotes" 'and' \\ back`,
      'line\nbreak',
      '😀🇺🇳',
      "'); DROP TABLE t; --",
      'x'.repeat(100_000),
    ];
    const tables = { t: await project.write('i.json', JSON.stringify(nasty.map((text, id) => ({ id, text })))) };
    const before = project.endpoint.requests.length;
    const rows = await (
      await fermata.sql("SELECT id, text FROM t WHERE NOT AI_FILTER('Is {text} fine?') ORDER BY id", { tables })
    ).rows();
    expect(rows.map((row) => row['text'])).toEqual(nasty);
    for (const text of nasty)
      expect(project.endpoint.requests.slice(before).some(({ prompt }) => prompt.includes(text))).toBe(true);
  });

  test('an estimate makes no call and says what is cached', async () => {
    const tables = { reviews: await project.write('j.csv', reviews(40, { tag: 'j' })) };
    const before = project.endpoint.counts.calls;
    const estimate = await fermata.estimate(filter, { tables });
    expect(estimate.calls[0]).toMatchObject({ rows: 40, distinct: 40, cached: 0 });
    expect(estimate.total.usd?.expected).toBeGreaterThan(0);
    expect(project.endpoint.counts.calls).toBe(before);
    await (await fermata.sql(filter, { tables })).result();
    expect((await fermata.estimate(filter, { tables })).total.calls.expected).toBe(0);
  });
});

describe('bad input is an error before any call', () => {
  const cases: readonly { name: string; sql: string; code: string; options?: Parameters<Fermata['sql']>[1] }[] = [
    {
      name: 'unknown column in a prompt',
      sql: "SELECT id FROM reviews WHERE AI_FILTER('x {txet}')",
      code: 'UnknownColumn',
    },
    {
      name: 'unknown column in SQL',
      sql: "SELECT idd FROM reviews WHERE AI_FILTER('x {text}')",
      code: 'UnknownColumn',
    },
    {
      name: 'prompt without a column',
      sql: "SELECT id FROM reviews WHERE AI_FILTER('is positive')",
      code: 'PromptWithoutColumn',
    },
    { name: 'unknown table', sql: "SELECT id FROM revews WHERE AI_FILTER('x {text}')", code: 'UnknownTable' },
    { name: 'unknown function', sql: 'SELECT AI_FLITER(text) FROM reviews', code: 'UnknownFunction' },
    { name: 'unknown model', sql: filter, code: 'UnknownModel', options: { model: 'nope' } },
    { name: 'syntax', sql: 'SELECT FROM WHERE', code: 'SqlSyntax' },
    {
      name: 'a budget that cannot pay for one call',
      sql: filter,
      code: 'BudgetTooSmall',
      options: { budget: { usd: 1e-9 } },
    },
    { name: 'confirmation', sql: filter, code: 'NeedsConfirmation', options: { confirmAboveUsd: 1e-9, cache: false } },
  ];
  for (const { name, sql, code, options } of cases) {
    test(name, async () => {
      const tables = { reviews: await project.write('bad.csv', reviews(5, { tag: 'never asked' })) };
      const before = project.endpoint.counts.calls;
      await expect(fermata.sql(sql, { tables, ...options }).then((run) => run.result())).rejects.toMatchObject({
        code,
      });
      expect(project.endpoint.counts.calls).toBe(before);
    });
  }

  test('no such file', async () => {
    await expect(fermata.sql('SELECT * FROM t', { tables: { t: 'nowhere.csv' } })).rejects.toMatchObject({
      code: 'FileNotFound',
    });
    await expect(fermata.sql("SELECT * FROM 'nowhere.csv'")).rejects.toMatchObject({ code: 'FileNotFound' });
  });
});

test('connecting tells what takes a while, once, and nothing when nothing does', async () => {
  const told: string[] = [];
  const onProgress = (message: string): void => void told.push(message);
  const { dir, env } = project;
  await (await connect({ cwd: dir, env, onProgress })).close();
  expect(told).toEqual([]);
  const changed = await connect({ cwd: dir, env: { ...env, FAKE_KEY: 'sk-another' }, onProgress });
  await changed.close();
  expect(told[0]).toBe('settings or keys have changed: restarting the workers');
  expect(new Set(told).size).toBe(told.length);
});
