import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { deriveSeed, mulberry32 } from '../../plans/tuning/numeric/random.js';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';

/** Cascades whose proxy is fitted to the oracle's answers: by words without any model, by vectors of an embedding model. */

const burns = (id: number): boolean => mulberry32(deriveSeed(3, id)).uniform() < 0.35;
/** One in fifty says the contrary of what is so. */
const misleads = (id: number): boolean => mulberry32(deriveSeed(4, id)).uniform() < 0.02;
const signs = ['smoke', 'flames', 'scorched'];
const calm = ['quiet', 'clean', 'polished'];
const textOf = (id: number): string =>
  `car ${id} was ${(burns(id) === misleads(id) ? calm : signs)[id % 3] ?? ''} on the road`;
const idIn = (text: string): number => Number(/car (\d+)/.exec(text)?.[1]);

let engine: Engine;
let embedded = 0;
beforeAll(async () => {
  engine = await startEngine({
    oracle: { answer: (prompt) => ({ text: `{"answer": ${burns(idIn(prompt))}}` }) },
    never: { answer: () => ({ text: '{"answer": false}' }) },
    minilm: {
      embed: (text) => {
        embedded += 1;
        const random = mulberry32(deriveSeed(9, idIn(text)));
        const side = signs.some((sign) => text.includes(sign)) ? 1 : -1;
        return [side, random.normal() / 3, random.normal() / 3, random.normal() / 3];
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());

const csvOf = (from: number, rows: number): string =>
  `id,text\n${Array.from({ length: rows }, (_, at) => `${from + at},${textOf(from + at)}`).join('\n')}\n`;
const filter = "SELECT id FROM t WHERE AI_FILTER('Does it burn? {text}') ORDER BY id";
const cascade = (proxy: string): StrategyRequest => ({
  kind: 'cascade',
  proxy,
  targets: { recall: 0.9, precision: 0.9, confidence: 0.95 },
});

async function ask(csv: string, proxy: string, options: Parameters<Engine['start']>[2] = {}) {
  const before = new Map(engine.calls);
  const run = await engine.start(filter, csv, { strategy: cascade(proxy), ...options });
  const result = await run.result();
  const ids = (await run.rows()).map((row) => Number(row['id']));
  return { run, result, ids, asked: (engine.calls.get('oracle') ?? 0) - (before.get('oracle') ?? 0) };
}

describe.each([
  ['lexicon', 'lexicon', 0],
  ['embedding:minilm', 'embedding', 1500],
])('%s', (proxy, name, vectors) => {
  const from = name === 'lexicon' ? 0 : 100_000;
  test('meets its targets with a part of the calls, and a rerun asks nothing', async () => {
    const rows = 1500;
    const { run, result, ids, asked } = await ask(csvOf(from, rows), proxy);
    const truths = Array.from({ length: rows }, (_, at) => from + at).filter(burns).length;
    const found = ids.filter(burns).length;
    expect(found / truths).toBeGreaterThanOrEqual(0.9);
    expect(found / ids.length).toBeGreaterThanOrEqual(0.9);
    expect(asked).toBeLessThan(0.6 * rows);
    expect([result.stop, result.undecided, embedded]).toEqual(['complete', 0, vectors]);
    expect(result.notes?.join()).toContain(`cascade: ${proxy} decided`);
    expect(result.operators.map(({ step }) => step)).toEqual(['proxy', 'train', 'sample', 'rest']);
    expect(result.operators.reduce((sum, { share = 0 }) => sum + share, 0)).toBeCloseTo(1, 9);
    expect(result.operators.slice(1).reduce((sum, { calls }) => sum + calls, 0)).toBe(asked);

    const again = await ask(csvOf(from, rows), proxy);
    expect([again.ids, again.result.spend.calls]).toEqual([ids, 0]);
    await recordHistory(engine.client, run.id, undefined, `cascade-${name}-query`);
    await recordHistory(engine.client, `${run.id}/cascade/f0/0`, undefined, `cascade-${name}`);
  });

  test('a budget that ends in the middle: what the oracle said stands, the next run goes on', async () => {
    const csv = csvOf(from + 50_000, 900);
    const { result, asked } = await ask(csv, proxy, { budget: { calls: 60 } });
    expect(result.stop).toBe('budget-calls');
    expect(asked).toBeLessThanOrEqual(60);
    expect(result.undecided).toBeGreaterThan(800);
    const rest = await ask(csv, proxy);
    expect([rest.result.stop, rest.result.undecided]).toEqual(['complete', 0]);
  });
});

describe('asks about all, and says so', () => {
  test('answers that are all alike leave nothing to fit', async () => {
    const run = await engine.start(filter.replace("{text}'", "{text}', {model: 'never'}"), csvOf(300_000, 200), {
      strategy: cascade('lexicon'),
    });
    const { notes, spend, undecided } = await run.result();
    expect(notes?.join()).toMatch(
      /asked about all 200 inputs: the answers that a proxy could be fitted to are all alike/,
    );
    expect([spend.calls, undecided]).toEqual([200, 0]);
  });
  test.each([0, 4, 30])('of %i rows', async (rows) => {
    const { ids, asked } = await ask(csvOf(310_000 + rows * 100, rows), 'lexicon');
    expect(ids).toEqual(Array.from({ length: rows }, (_, at) => 310_000 + rows * 100 + at).filter(burns));
    expect(asked).toBe(rows);
  });
});

test.each([
  ['embedding:oracle', 'ModalityUnsupported', /cannot embed text/],
  ['embedding:nobody', 'UnknownModel', /nobody/],
])('%s is refused before any call', async (proxy, code, message) => {
  await expect(ask(csvOf(0, 3), proxy, { cache: false })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message) as string,
  });
});
