import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Engine, startEngine } from '../support/engine.js';
import { pairPrompt } from '../support/pairs.js';

/** A cascade over the pairs of a join: the proxy is fitted to pairs as to any other inputs. */

const numbers = (text: string): readonly number[] => Array.from(text.matchAll(/\d+/g), ([digits]) => Number(digits));
const matches = ([left = 0, right = 0]: readonly number[]): boolean => left % 4 === right % 4;
let engine: Engine;
beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer: (prompt) => ({ text: JSON.stringify({ answer: matches(numbers(pairPrompt(prompt).join(' '))) }) }),
    },
    // both texts of a pair are one input of the embedder
    vectors: { embed: (text) => (matches(numbers(text)) ? [1, 0, 0, 0] : [0, 1, 0, 0]) },
  });
}, 120_000);
afterAll(() => engine.close());

test('an embedding that tells matches from others spares the oracle most pairs', async () => {
  const csv = ['id,side', ...Array.from({ length: 100 }, (_, id) => `${id},${id < 60 ? 'l' : 'r'}`)].join('\n');
  const sql =
    "SELECT a.id AS l, b.id AS r FROM t a JOIN t b ON a.side = 'l' AND b.side = 'r' " +
    "AND AI_FILTER('Does ticket {a.id} belong to topic {b.id}?') ORDER BY l, r";
  const targets = { recall: 0.9, precision: 0.9, confidence: 0.95 };
  const run = await engine.start(sql, csv, { strategy: { kind: 'cascade', proxy: 'embedding:vectors', targets } });
  await run.result();
  const found = (await run.rows()).map((row) => [Number(row['l']), Number(row['r'])]);
  const wanted = Array.from({ length: 60 * 40 }, (_, at) => [Math.floor(at / 40), 60 + (at % 40)]).filter(matches);
  const right = found.filter(matches).length;
  expect(right / wanted.length).toBeGreaterThanOrEqual(0.9);
  expect(right / found.length).toBeGreaterThanOrEqual(0.9);
  expect(engine.calls.get('oracle')).toBeLessThan(1200);
});
