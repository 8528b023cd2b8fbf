import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { analyticProblems } from '../../../bench/tuning/analytic.js';
import { dataVariable, tuningDataFolder } from '../../../bench/tuning/data.js';
import { routerProblems } from '../../../bench/tuning/router.js';
import { criteriaOf, scoreOf } from '../../../plans/tuning/objective/objective.js';

interface Reference {
  readonly y?: number;
  readonly g?: readonly number[];
  readonly obj?: readonly number[];
}

type Checks = Readonly<
  Record<string, { seed: number; x: number[][]; true: Reference[]; obs: Reference[] } | undefined>
>;

const file = join(tuningDataFolder() ?? '', 'crosscheck.json');
const present = tuningDataFolder() !== undefined && existsSync(file);
const checks = present ? (JSON.parse(readFileSync(file, 'utf8')) as Checks) : {};

describe.skipIf(!present)(
  `the ported problems (skipped unless ${dataVariable} names the folder of crosscheck.json)`,
  () => {
    it.each([...analyticProblems, ...routerProblems].map((problem) => [problem.name, problem] as const))(
      '%s gives the published true and observed values',
      (name, problem) => {
        const check = checks[name]!;
        const criteria = criteriaOf(problem.objective);
        const observe = problem.observer(check.seed);
        check.x.forEach((x, i) => {
          for (const [metrics, published] of [
            [problem.truth(x), check.true[i]!],
            [observe(x), check.obs[i]!],
          ] as const) {
            const { goals, limits } = scoreOf(criteria, metrics);
            const wanted = goals.length === 3 ? published.obj! : [published.y!];
            goals.forEach((goal, k) => expect(goal).toBeCloseTo(wanted[k]!, 9));
            limits.forEach((limit, k) => expect(limit).toBeCloseTo(published.g![k]!, 9));
          }
        });
      },
    );
  },
);
