import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CallError } from '../../plans/protocol/call-errors.js';
import { type Engine, startEngine } from '../support/engine.js';
import { knowing, type Mention, mentions, pairQuality } from '../support/entities.js';

/** AI_DEDUP through real workflows and activities, with a model that knows which names are of one company. */

let engine: Engine;
let known: readonly Mention[] = [];
let asked: (readonly [string, string])[] = [];
/** Pairs whose question is refused. */
let refuses = (_: string): boolean => false;
/** The direction of a company, a little off for each of its names. */
const vectorOf = (text: string): readonly number[] => {
  const mention = known.find(({ name }) => name === text);
  const angle = (mention?.company ?? 0) * 0.7;
  return [Math.cos(angle), Math.sin(angle), Math.cos(3 * angle), (mention?.id ?? 0) / 1e4];
};
beforeAll(async () => {
  const model = knowing(
    () => known,
    (pair) => asked.push(pair),
  );
  engine = await startEngine({
    oracle: {
      answer(prompt, request) {
        if (refuses(prompt)) throw new CallError('contentFilter', 'the endpoint refused it');
        return model.answer!(prompt, request);
      },
    },
    vectors: { embed: vectorOf },
  });
}, 120_000);
afterAll(() => engine.close());

const csvOf = (rows: readonly Mention[]): string =>
  `id,name,company\n${rows.map(({ id, name, company }) => `${id},${name},${company}`).join('\n')}\n`;
const lexicon = "{keep: 'all', nearness: 'lexicon'}";
const all = (options = lexicon): string =>
  `SELECT id, company, entity FROM AI_DEDUP('t', 'name', 'the company', ${options}) AS d ORDER BY id`;

async function dedup(sql: string, rows: readonly Mention[] | string, options: Parameters<Engine['start']>[2] = {}) {
  if (typeof rows !== 'string') known = rows;
  asked = [];
  const before = engine.calls.get('oracle') ?? 0;
  const run = await engine.start(sql, typeof rows === 'string' ? rows : csvOf(rows), options);
  const result = await run.result();
  return { run, result, rows: await run.rows(), calls: (engine.calls.get('oracle') ?? 0) - before };
}
const qualityOf = (rows: readonly Readonly<Record<string, unknown>>[]) =>
  pairQuality(rows.map(({ company, entity }) => ({ company: Number(company), entity })));

describe('AI_DEDUP', () => {
  test.each([
    ['lexicon', lexicon],
    ['embedding', "{keep: 'all', nearness: 'embedding:vectors'}"],
  ])('finds the companies by %s with a small part of all pairs; a rerun is free', async (nearness, options) => {
    const rows = mentions(60, 4, nearness === 'lexicon' ? 0 : 60);
    const first = await dedup(all(options), rows);
    const pairs = (rows.length * (rows.length - 1)) / 2;
    expect(qualityOf(first.rows)).toEqual({ recall: 1, precision: 1 });
    expect(first.calls).toBeLessThan(pairs / 20);
    const numbers = new Map(first.rows.map(({ company, entity }) => [company, entity]));
    expect([...numbers.values()]).toEqual([...numbers.keys()].map((_, at) => BigInt(at + 1)));
    expect(new Set(asked.map(String)).size).toBe(asked.length);
    expect(first.result.operators).toMatchObject([
      ...(nearness === 'lexicon'
        ? []
        : [{ id: 'c0.vectors', operator: 'embed', model: 'vectors', inputs: rows.length }]),
      { id: 'c0', operator: 'dedup', calls: first.calls, inputs: first.calls },
    ]);
    const again = await dedup(all(options), rows);
    expect(again.rows).toEqual(first.rows);
    expect(again.result.spend.calls).toBe(0);
  });

  test('keeps the first row of each entity, with its own columns', async () => {
    const rows = mentions(12, 4, 200);
    const { rows: kept, run } = await dedup("SELECT * FROM AI_DEDUP(t, name, 'the company') AS d", rows);
    const firsts = rows.filter(({ company }, at) => rows.findIndex((other) => other.company === company) === at);
    expect(kept).toEqual(
      firsts.map(({ id, name, company }, at) => ({
        ...{ id: BigInt(id), name, company: BigInt(company), entity: BigInt(at + 1) },
      })),
    );
    expect((await run.result()).notes).toEqual([expect.stringContaining('no embedding model')]);
  });

  test('equal rows are one input, NULL is like nothing', async () => {
    known = [{ id: 0, name: 'Acme', company: 1 }];
    const csv = 'id,name,company\n0,Acme,1\n1,,2\n2,Acme,1\n3,,3\n4,Acme,1\n';
    const { rows, calls } = await dedup(all(), csv);
    expect(rows.map(({ entity }) => entity)).toEqual([1n, null, 1n, null, 1n]);
    expect(calls).toBe(0);
    const kept = await dedup("SELECT id FROM AI_DEDUP('t', 'name', 'the company') AS d ORDER BY id", csv);
    expect(kept.rows.map(({ id }) => id)).toEqual([0n, 1n, 3n]);
    expect((await dedup(all(), 'id,name,company\n')).rows).toEqual([]);
  });

  test('of several columns one may be NULL; the pair shows their names', async () => {
    known = [];
    const csv = 'id,name,city,company\n0,Acme,,1\n1,Acme Co,Oslo,1\n2,,,2\n3,,Rome,3\n';
    const sql =
      "SELECT id, entity FROM AI_DEDUP('t', ['name', 'city'], 'the company {as named}', {keep: 'all'}) ORDER BY id";
    const { rows } = await dedup(sql, csv);
    expect(asked[0]).toEqual(['name: Acme\ncity: ', 'name: Acme Co\ncity: Oslo']);
    // to this model all unknown names are of one company
    expect(rows.map(({ entity }) => entity)).toEqual([1n, 1n, null, 1n]);
  });

  test('compares within equal keys alone', async () => {
    const rows = mentions(20, 4, 300);
    const half = ({ id }: Mention): string => (id % 2 === 0 ? 'even' : 'odd');
    const csv = `id,name,company,part\n${rows.map((row) => `${row.id},${row.name},${row.company},${half(row)}`).join('\n')}\n`;
    known = rows;
    const options = "{keep: 'all', nearness: 'lexicon', within: part}";
    const { rows: found } = await dedup(
      `SELECT *, entity FROM AI_DEDUP('t', 'name', 'the company', ${options}) ORDER BY id`,
      csv,
    );
    const partOf = (name: string): unknown => found.find((row) => row['name'] === name)?.['part'];
    expect(asked.every(([a, b]) => partOf(a) === partOf(b))).toBe(true);
    const truth = (row: Readonly<Record<string, unknown>>): string =>
      `${String(row['company'])} ${String(row['part'])}`;
    const order = [...new Set(found.map(truth))];
    expect(found.map(({ entity }) => entity)).toEqual(found.map((row) => BigInt(order.indexOf(truth(row)) + 1)));
  });

  test('batched: the same entities with fewer calls', async () => {
    const rows = mentions(40, 4, 400);
    const direct = await dedup(all(), rows, { cache: false });
    const batched = await dedup(all(), rows, { cache: false, strategy: { kind: 'batched', size: 10 } });
    expect(batched.rows).toEqual(direct.rows);
    expect(batched.calls).toBeLessThan(direct.calls / 6);
  });

  test('a pair that is refused is an error of its second row, unless others put both together', async () => {
    known = ['Acme', 'Acme Inc', 'Acme Ltd', 'Bolt', 'Bolt Inc'].map((name, id) => ({
      id,
      name,
      company: Number(id > 2),
    }));
    const refusing = (...pairs: readonly (readonly [string, string])[]) => {
      const shown = pairs.map((pair) => pair.map((name) => `<data>\n${name}\n</data>`));
      refuses = (prompt) => shown.some(([a, b]) => prompt.includes(a!) && prompt.includes(b!));
    };
    refusing(['Acme', 'Acme Inc'], ['Bolt', 'Bolt Inc']);
    const { rows, run } = await dedup(all(), known);
    expect(rows.map(({ entity }) => entity)).toEqual([1n, 1n, 1n, 2n, null]);
    expect(await run.errors()).toMatchObject([{ row: 5, operator: 'c0', code: 'contentFilter' }]);
    refusing(['Bolt', 'Bolt Inc']);
    const skipped = await dedup(all(), known, { onError: 'skip', cache: false });
    expect(skipped.rows.map(({ id }) => id)).toEqual([0n, 1n, 2n, 3n]);
    refuses = () => false;
  });

  test.each([0, 3, 70])('a budget of %i calls leaves what is open undecided; a rerun goes on', async (calls) => {
    const rows = mentions(60, 4, 600 + calls);
    const stopped = await dedup(all(), rows, calls === 0 ? { budget: { tokens: 1 } } : { budget: { calls } });
    expect(stopped.result.stop).toMatch(/^budget/);
    expect(stopped.result.undecided).toBe(rows.length - stopped.rows.length);
    expect(stopped.result.undecided).toBeGreaterThan(0);
    const whole = await dedup(all(), rows);
    expect(whole.result).toMatchObject({ stop: 'complete', undecided: 0 });
    expect(qualityOf(whole.rows)).toEqual({ recall: 1, precision: 1 });
    const numberOf = new Map(whole.rows.map(({ id, company }) => [id, company]));
    for (const one of stopped.rows) {
      const mates = whole.rows.filter(({ company }) => company === numberOf.get(one['id'])).map(({ id }) => id);
      const ours = stopped.rows.filter(({ entity }) => entity === one['entity']).map(({ id }) => id);
      expect(ours).toEqual(mates);
    }
  });

  test('the estimate holds', async () => {
    for (const [companies, options] of [
      [150, lexicon],
      [40, "{keep: 'all', nearness: 'embedding:vectors'}"],
    ] as const) {
      known = mentions(companies, 4, 1000 + companies);
      const estimate = await engine.estimate(all(options), csvOf(known));
      const { result } = await dedup(all(options), known);
      for (const { id, calls } of result.operators) {
        const { calls: range, operator } = estimate.calls.find((one) => one.id === id)!;
        expect([operator, range.low <= calls, calls <= range.high]).toEqual([operator, true, true]);
        expect(Math.abs(range.expected - calls)).toBeLessThanOrEqual(Math.max(1, 0.4 * calls));
      }
    }
  });

  test('stacks: over a query that asks, and under one', async () => {
    const rows = mentions(10, 3, 1300);
    const sql = `WITH c AS (SELECT * FROM AI_DEDUP((SELECT * FROM t WHERE id >= 2), ['name'], 'the company', nearness => 'lexicon'))
      SELECT count(*) AS n, max(entity) AS last FROM c WHERE company >= 0`;
    const { rows: found } = await dedup(sql, rows);
    const companies = new Set(rows.filter(({ id }) => id >= 2).map(({ company }) => company)).size;
    expect(found).toEqual([{ n: BigInt(companies), last: BigInt(companies) }]);
  });
});
