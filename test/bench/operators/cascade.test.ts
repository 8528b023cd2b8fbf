import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases } from '../../../bench/operators/cases.js';
import {
  type Measured,
  modelName,
  openPoolProject,
  type PoolProject,
  strategyNamed,
  targets,
} from '../../../bench/operators/pool-project.js';
import { difficultyModes } from '../../../bench/pool/truth/difficulty.js';

/** A cascade on the simulated pool beside the oracle alone, under all three difficulty modes. */

const count = 1500;
const filter = cases.find(({ name }) => name === 'filter')!;

let pool: PoolProject;
beforeAll(async () => {
  pool = await openPoolProject({ tickets: count, modes: difficultyModes });
});
afterAll(() => pool.close());

const idsOf = ({ rows }: Measured): ReadonlySet<number> => new Set(rows.map((row) => Number(row['id'])));

describe.each(difficultyModes)('under %s difficulty', (mode) => {
  test('keeps the quality of the oracle within 0.02, and its targets, with fewer calls of the oracle', async () => {
    const direct = await pool.measure(filter, { mode });
    const strategy = strategyNamed('cascade', mode);
    const cascade = await pool.measure(filter, { mode, strategy });
    const callsOf = ({ result }: Measured): number =>
      result.operators
        .filter(({ model }) => model === modelName('strong', mode))
        .reduce((sum, { calls }) => sum + calls, 0);
    const [oracle, output] = [idsOf(direct), idsOf(cascade)];
    const both = [...output].filter((id) => oracle.has(id)).length;
    expect(callsOf(direct)).toBe(count);
    expect(callsOf(cascade)).toBeLessThan(count);
    expect(cascade.right / count).toBeGreaterThanOrEqual(direct.right / count - 0.02);
    expect(both / oracle.size).toBeGreaterThanOrEqual(targets.recall);
    expect(both / output.size).toBeGreaterThanOrEqual(targets.precision);
    // what is not known before the proxy has answered is taken from the targets alone
    const { total } = await pool.estimate(filter, { mode, strategy });
    expect(Math.abs(total.calls.expected / cascade.result.spend.calls - 1)).toBeLessThan(0.2);
  });
});
