import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FermataError } from '../../../plans/protocol/errors.js';
import { placements } from '../../../plans/protocol/placement.js';
import { randomQuery, randomQuerySetup } from '../../support/random-query.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';
import { standIn, standInMacros } from '../../support/sql-stand-ins.js';

/** More with FERMATA_RANDOM_QUERIES=3000. */
const numRuns = Number(process.env['FERMATA_RANDOM_QUERIES'] ?? 80);

let bench: Bench;
beforeAll(async () => {
  bench = await openBench([...standInMacros, ...randomQuerySetup]);
});
afterAll(() => bench.close());

it(
  'a random query gives the bag of rows that plain SQL gives with the same function, under every placement',
  async () => {
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(fc.nat(), fc.constantFrom(...placements), async (seed, placement) => {
        const { semantic, plain } = randomQuery(seed);
        const wanted = await bench.query(plain);
        const plan = await bench.plan(semantic, placement).catch((error: unknown) => {
          if (!FermataError.is(error) || error.code !== 'UnsupportedSql') throw error;
          refused += 1;
          return undefined;
        });
        if (plan === undefined) return;
        const { columns, rows } = await bench.execute(plan, standIn, 50);
        expect({ columns, rows: sorted(rows) }, semantic).toEqual({
          columns: wanted.columns,
          rows: sorted(wanted.rows),
        });
      }),
      { numRuns },
    );
    expect(refused).toBeLessThan(0.1 * numRuns);
  },
  numRuns * 2_000,
);

function sorted(rows: readonly unknown[][]): string[] {
  return rows.map((row) => JSON.stringify(row)).sort();
}
