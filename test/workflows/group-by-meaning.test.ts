import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Engine, startEngine } from '../support/engine.js';
import { askRows, csvOf, itemsOf, numbersIn, type Row } from '../support/groups.js';

/** AI_GROUP: labels found by a model, then every input classified, through real workflows and activities. */

let engine: Engine;
/** What the model proposes next; the items that it was shown. */
let proposed: unknown = ['even', 'odd'];
let shown: string[] = [];
let asks = 0;
let refuses = (_: number): boolean => false;
beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer(prompt, { output, system }) {
        if (output.kind === 'list') {
          asks += 1;
          shown = itemsOf(prompt);
          return { text: JSON.stringify({ answer: proposed }) };
        }
        const [n = 0] = numbersIn(prompt);
        const labels = output.kind === 'enum' ? output.values : [];
        if (refuses(n)) return { text: 'I cannot say.' };
        if (!labels.every((label) => system.includes(`- ${label}`)))
          throw new Error('the labels are not in the prompt');
        return { text: JSON.stringify({ answer: labels[n % labels.length] }) };
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());

const rowsOf = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => [at, 'g', `#${from + at}`] as const);
const ask = (sql: string, rows: readonly Row[], options: Parameters<Engine['start']>[2] = {}) => {
  asks = 0;
  return askRows(engine, sql, csvOf(rows), options);
};

describe('AI_GROUP', () => {
  test('labels every row; in GROUP BY too; NULL stays NULL; a rerun is free', async () => {
    proposed = [' even', 'odd', 'Even', '', 'extra'];
    const rows: Row[] = [...rowsOf(0, 50), [50, 'g', '']];
    const sql = 'SELECT AI_GROUP(text, 2) AS label, count(*) AS n FROM t GROUP BY ALL ORDER BY label';
    const first = await ask(sql, rows);
    expect(first.rows).toEqual([
      { label: 'even', n: 25n },
      { label: 'odd', n: 25n },
      { label: null, n: 1n },
    ]);
    expect(first.calls()).toBe(51);
    expect(asks).toBe(1);
    expect(shown).toHaveLength(50);
    expect(first.result.operators).toMatchObject([{ id: 'c0', operator: 'group', calls: 51, inputs: 51 }]);
    const again = await ask(sql, rows);
    expect(again.rows).toEqual(first.rows);
    expect(again.result.spend).toMatchObject({ calls: 0 });
  });

  test('an instruction leaves their number to the model; LIMIT changes no label', async () => {
    proposed = ['a', 'b', 'c'];
    const sql = "SELECT id, AI_GROUP(text, 'by the remainder') AS label FROM t ORDER BY id";
    const whole = await ask(sql, rowsOf(200, 9));
    expect(whole.rows.map(({ label }) => label)).toEqual(
      [200, 201, 202, 203, 204, 205, 206, 207, 208].map((n) => proposedAt(n)),
    );
    const limited = await ask(`${sql} LIMIT 2`, rowsOf(200, 9));
    expect(limited.rows).toEqual(whole.rows.slice(0, 2));
    expect(limited.result.spend.calls).toBe(0);
  });

  test('one label is given without asking about the rows', async () => {
    proposed = ['all', 'of', 'them'];
    const { rows, calls } = await ask('SELECT DISTINCT AI_GROUP(text, 1) AS label FROM t', rowsOf(300, 20));
    expect(rows).toEqual([{ label: 'all' }]);
    expect(calls()).toBe(1);
  });

  test('more labels than different inputs: no more than those', async () => {
    proposed = ['a', 'b', 'c', 'd', 'e'];
    const twice: Row[] = [...rowsOf(400, 3), ...rowsOf(400, 3)];
    const { rows, calls } = await ask('SELECT DISTINCT AI_GROUP(text, 10) AS label FROM t ORDER BY label', twice);
    expect(rows.map(({ label }) => label)).toEqual(['a', 'b', 'c']);
    expect(calls()).toBe(1 + 3);
  });

  test.each([[[]], [['', ' ']], ['none'], [{ labels: 3 }]])(
    'labels of no use (%j) fail every row by type',
    async (nothing) => {
      proposed = nothing;
      const from = 500 + 10 * JSON.stringify(nothing).length;
      const { rows, run } = await ask('SELECT AI_GROUP(text, 3) AS label FROM t', rowsOf(from, 4));
      expect(rows).toEqual(Array.from({ length: 4 }, () => ({ label: null })));
      expect(await run.errors()).toEqual(
        [1, 2, 3, 4].map((row) => expect.objectContaining({ row, operator: 'c0', code: 'badOutput' }) as unknown),
      );
    },
  );

  test('a row that cannot be classified is its own error', async () => {
    proposed = ['even', 'odd'];
    refuses = (n) => n === 702;
    const { rows, run } = await ask('SELECT AI_GROUP(text, 2) AS label FROM t ORDER BY id', rowsOf(700, 4));
    refuses = () => false;
    expect(rows.map(({ label }) => label)).toEqual(['even', 'odd', null, 'odd']);
    expect(await run.errors()).toMatchObject([{ row: 3, code: 'badOutput' }]);
  });

  test.each([0, 1, 5])('a budget of %i calls leaves rows undecided; a rerun goes on', async (calls) => {
    proposed = ['even', 'odd'];
    const rows = rowsOf(800 + 100 * calls, 40);
    const sql = 'SELECT id, AI_GROUP(text, 2) AS label FROM t ORDER BY id';
    if (calls > 0) {
      const stopped = await ask(sql, rows, { budget: { calls } });
      expect(stopped.result).toMatchObject({ stop: 'budget-calls' });
      expect(stopped.result.undecided).toBe(40 - stopped.rows.length);
      expect(stopped.rows.length).toBeLessThan(calls);
    }
    const whole = await ask(sql, rows);
    expect(whole.result).toMatchObject({ stop: 'complete', undecided: 0 });
    expect(whole.result.spend.calls).toBe(41 - calls);
  });
});

const proposedAt = (n: number): string => (proposed as string[])[n % 3]!;
