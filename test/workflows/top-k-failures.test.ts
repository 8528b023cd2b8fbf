import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import { type Engine, startEngine } from '../support/engine.js';
import { askRows, csvOf, itemsOf, numbersIn, type Row } from '../support/groups.js';

/** What goes wrong in a top-k by comparisons and lists: inputs that fail, budgets that end. */

let engine: Engine;
let refuses = (_: readonly number[]): boolean => false;
beforeAll(async () => {
  const exact = (prompt: string, system: string): string => {
    const values = itemsOf(prompt).map((item) => numbersIn(item)[0]!);
    if (refuses(values)) throw new CallError('contentFilter', 'the endpoint refused it');
    const sign = system.includes('lower') || system.includes('lowest') ? 1 : -1;
    const order = values.map((_, at) => at).sort((a, b) => sign * (values[a]! - values[b]!));
    return system.startsWith('Compare')
      ? 'AB'.charAt(order[0]!)
      : JSON.stringify({ answer: order.map((at) => at + 1) });
  };
  engine = await startEngine({
    oracle: {
      answer: (prompt, { system }) => ({ text: exact(prompt, system) }),
    },
  });
}, 120_000);
afterAll(() => engine.close());

/** Numbers from `from` on, in an order that tells nothing. */
const rowsOf = (from: number, count: number): Row[] =>
  Array.from({ length: count }, (_, at) => [at, 'g', `worth #${from + ((at * 37) % count)}`] as const);
const ask = (sql: string, rows: readonly Row[], options: Parameters<Engine['start']>[2] = {}) =>
  askRows(engine, sql, csvOf(rows), options);
const top = (rest: string) => `SELECT g, text FROM t ORDER BY AI_SCORE('How much is {text} worth?') ${rest}`;
const found = (rows: readonly Record<string, unknown>[]): number[] =>
  rows.map(({ text }) => numbersIn(String(text))[0]!);

const strategies: readonly StrategyRequest[] = [{ kind: 'pairwise' }, { kind: 'heap' }, { kind: 'listwise' }];
const falling = (from: number, count: number): number[] => Array.from({ length: count }, (_, at) => from - at);

describe.each(strategies)('$kind', (strategy) => {
  test('an input that fails is an error of its row; the others keep their places', async () => {
    refuses = (values) => values.includes(2019);
    const { rows, run } = await ask(top('DESC LIMIT 4'), rowsOf(2000, 20), { strategy });
    refuses = () => false;
    expect(found(rows)).toEqual(falling(2018, 4));
    expect(await run.errors()).toMatchObject([{ operator: 'c0', code: 'contentFilter' }]);
  });

  test('a budget leaves all undecided; a rerun goes on from what is paid', async () => {
    const rows = rowsOf(3000 + 100 * strategies.indexOf(strategy), 60);
    const stopped = await ask(top('DESC LIMIT 3'), rows, { strategy, budget: { calls: 3 } });
    expect(stopped.result).toMatchObject({ stop: 'budget-calls', undecided: 60 });
    expect(stopped.rows).toEqual([]);
    const whole = await ask(top('DESC LIMIT 3'), rows, { strategy });
    expect(found(whole.rows)).toEqual(falling(3059 + 100 * strategies.indexOf(strategy), 3));
    expect(whole.result.spend.cached).toBe(3);
  });
});
