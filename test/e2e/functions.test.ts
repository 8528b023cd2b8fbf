import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Fermata } from '../../client/api.js';
import type { ChatCall } from '../support/endpoint.js';
import { openProject, type Project } from '../support/project.js';

/** The scalar functions through the real server, workers, store and ledger; only the endpoint is a fake. */

let project: Project;
let fermata: Fermata;
let reply: (call: ChatCall) => string;

beforeAll(async () => {
  project = await openProject({ endpoint: { answer: (call) => reply(call) } });
  fermata = await project.connect();
});
afterAll(async () => {
  await fermata.close();
  await project.close();
});

const csv = (...texts: string[]): string => `id,text\n${texts.map((text, id) => `${id},"${text}"`).join('\n')}\n`;

let files = 0;
async function ask(sql: string, texts: readonly string[], answer: (call: ChatCall) => unknown) {
  reply = (call) => {
    const value = answer(call);
    return typeof value === 'string' ? value : JSON.stringify({ answer: value });
  };
  const first = project.endpoint.requests.length;
  const tables = { t: await project.write(`f${files++}.csv`, csv(...texts)) };
  const run = await fermata.sql(sql, { tables });
  const rows = await run.rows();
  return { rows, result: await run.result(), requests: project.endpoint.requests.slice(first) };
}

describe('functions with a fixed task', () => {
  test('AI_SENTIMENT of the whole, and of aspects as a struct', async () => {
    const one = await ask(
      'SELECT AI_SENTIMENT(text) AS s FROM t ORDER BY id',
      ['bad soup', 'good soup'],
      ({ prompt }) => (prompt.includes('bad') ? 'Negative.' : { positive: 1 }),
    );
    // the second reply says nothing usable: an error of its row, not a sentiment
    expect(one.rows).toEqual([{ s: 'negative' }, { s: null }]);
    expect(one.result.spend.failed).toBe(1);

    const aspects = await ask(
      "SELECT AI_SENTIMENT(text, ['food', 'staff']).food AS food, AI_SENTIMENT(text, ['food', 'staff']) AS all_of_it FROM t",
      ['the soup was bad'],
      () => ({ overall: 'negative', food: 'NEGATIVE', staff: null }),
    );
    expect(aspects.rows).toEqual([
      { food: 'negative', all_of_it: { overall: 'negative', food: 'negative', staff: null } },
    ]);
    expect(aspects.requests).toHaveLength(1);
  });

  test('AI_SUMMARIZE and AI_TRANSLATE give text as it comes', async () => {
    const sql = "SELECT AI_SUMMARIZE(text, {max_words: 12}) AS s, AI_TRANSLATE(text, 'en', 'de') AS d FROM t";
    const { rows, requests } = await ask(sql, ['good {soup}'], ({ system }) =>
      system.startsWith('Translate the data from English into German') ? ' gute "Suppe"\n' : 'Soup: good.',
    );
    expect(rows).toEqual([{ s: 'Soup: good.', d: 'gute "Suppe"' }]);
    expect(requests.some(({ system }) => system.includes('at most 12 words'))).toBe(true);
    expect(requests.every(({ prompt }) => prompt.includes('good {soup}'))).toBe(true);
  });
});

describe('what users add to a prompt', () => {
  test('instructions and examples are in every call, and not among the data', async () => {
    const sql =
      "SELECT AI_CLASSIFY(text, ['food', 'staff'], {instructions: 'Mind the {irony}.', " +
      "examples: [{text: 'The waiter shouted.', output: 'staff'}]}) AS c FROM t";
    const { rows, requests } = await ask(sql, ['soup one', 'soup two'], () => 'food');
    expect(rows).toEqual([{ c: 'food' }, { c: 'food' }]);
    expect(requests).toHaveLength(2);
    for (const { system, prompt } of requests) {
      expect(system).toMatch(/^Mind the \{irony\}\.\n/);
      expect(system).toContain('<data>\nThe waiter shouted.\n</data>\nReply: {"answer":"staff"}');
      expect(prompt).not.toMatch(/irony|waiter/);
    }
  });

  // lotus/issues/194: a filter that was asked for explanations gave empty cells
  test('an explanation comes with every answer, and an empty one is asked for again', async () => {
    const apples = ['Apples are red.', 'Apples are blue.', 'Apples grow on trees.', 'Apples can swim.'];
    const asked = new Set<string>();
    const sql = "SELECT id, AI_FILTER('Is it true? {text}', {explain: true}) AS why FROM t ORDER BY id";
    const { rows, result, requests } = await ask(sql, apples, ({ prompt, body }) => {
      const text = JSON.stringify(body);
      const apple = apples.find((line) => text.includes(line)) ?? prompt;
      const again = asked.has(apple);
      asked.add(apple);
      return { answer: !/blue|swim/.test(apple), explanation: again ? `since: ${apple}` : '' };
    });
    expect(rows.map((row) => row['why'])).toEqual(
      apples.map((apple) => ({ answer: !/blue|swim/.test(apple), explanation: `since: ${apple}` })),
    );
    expect(requests).toHaveLength(8);
    expect(result.spend.failed).toBe(0);
  });

  test('a reply that never explains is an error of its row', async () => {
    const sql = "SELECT AI_SCORE('How good? {text}', {max: 5, explain: true}) AS s FROM t";
    const { rows, result } = await ask(sql, ['never explained'], () => 3);
    expect(rows).toEqual([{ s: null }]);
    expect(result.spend.failed).toBe(1);
  });

  test('an explained answer can filter by its answer, and is asked once', async () => {
    const why = "AI_CLASSIFY(text, ['food', 'staff'], {explain: true})";
    const sql = `SELECT id, ${why}.explanation AS e FROM t WHERE ${why}.answer = 'food'`;
    const { rows, requests } = await ask(sql, ['rice', 'waiter'], ({ prompt }) => ({
      answer: prompt.includes('rice') ? 'food' : 'staff',
      explanation: 'so it is',
    }));
    expect(rows.map((row) => [Number(row['id']), row['e']])).toEqual([[0, 'so it is']]);
    expect(requests).toHaveLength(2);
  });
});

test('AI_COMPLETE gives columns of every type', async () => {
  const answers: readonly [type: string, answer: unknown, sql: string][] = [
    ["'string'", 'x y', 'VARCHAR'],
    ["'boolean'", true, 'BOOLEAN'],
    ["'integer'", -7, 'BIGINT'],
    ["'double'", 0.25, 'DOUBLE'],
    ["'date'", '2024-02-29', 'DATE'],
    ["['low', 'high']", 'high', 'VARCHAR'],
    ["'integer[]'", [1, 2], 'BIGINT[]'],
    ["'date[][]'", [['2024-02-29'], []], 'DATE[][]'],
    ["{a: 'integer', b: ['x', 'y']}", { a: null, b: 'y' }, 'STRUCT(a BIGINT, b VARCHAR)'],
    [
      "[{name: 'text', parts: [{n: 'number', d: 'date'}]}]",
      [{ name: 'n', parts: [{ n: 1.5, d: '2020-01-01' }] }],
      'STRUCT("name" VARCHAR, parts STRUCT(n DOUBLE, d DATE)[])[]',
    ],
  ];
  const calls = answers.map(([type], at) => `AI_COMPLETE('no. ${at}. of {text}', ${type}) AS c${at}`);
  const types = answers.map((_, at) => `typeof(c${at}) AS t${at}, to_json(c${at})::VARCHAR AS v${at}`);
  const sql = `SELECT ${calls.join(', ')}, ${types.join(', ')} FROM t`;
  const { rows } = await ask(sql, ['anything'], ({ prompt }) => answers[Number(/no\. (\d+)\./.exec(prompt)?.[1])]?.[1]);
  for (const [at, [, answer, type]] of answers.entries()) {
    expect(rows[0]?.[`t${at}`]).toBe(type);
    expect(JSON.parse(String(rows[0]?.[`v${at}`]))).toEqual(answer);
  }
});

describe('bad input is an error before any call', () => {
  const many = Array.from({ length: 5000 }, (_, n) => `'label ${n}'`).join(', ');
  const cases: readonly [name: string, select: string, message: RegExp][] = [
    ['no label', 'AI_CLASSIFY(text, [])', /empty/],
    ['one label', "AI_CLASSIFY(text, ['only'])", /two labels/],
    ['a label twice', "AI_CLASSIFY(text, ['a', 'b', 'a'])", /'a' is given twice/],
    ['5,000 labels', `AI_CLASSIFY(text, [${many}])`, /at most 250 labels, got 5000/],
    ['an example of another label', "AI_CLASSIFY(text, ['a', 'b'], {examples: [('x', 'c')]})", /does not fit/],
    ['an explained condition', "id FROM t WHERE AI_FILTER('{text}', {explain: true}) --", /no condition/],
    ['a summary of no length', 'AI_SUMMARIZE(text, -1)', /max_words/],
    ['no language', "AI_TRANSLATE(text, 'en', '')", /empty/],
    ['aspects that are one column', "AI_SENTIMENT(text, ['a', 'A'])", /given twice/],
    ['a field twice', "AI_EXTRACT(text, ['a', 'A'])", /given twice/],
  ];
  test.each(cases)('%s', async (_, select, message) => {
    const tables = { t: await project.write('bad.csv', csv('never asked')) };
    const before = project.endpoint.counts.calls;
    await expect(fermata.sql(`SELECT ${select} FROM t`, { tables }).then((run) => run.result())).rejects.toMatchObject({
      code: 'BadArgument',
      message: expect.stringMatching(message),
    });
    expect(project.endpoint.counts.calls).toBe(before);
  });
});
