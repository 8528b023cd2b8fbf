/**
 * The tuner on the peers' problem set: five warm starts, 20 trials, the same warm starts and noise as theirs.
 *
 * `FERMATA_TUNING_DATA=<folder with warmstart.json> node dist/bench/tuning/main.js [--seeds 20] [--only name,name]
 * [--json file]`. Prints a table beside the peers' published medians, the bars, and the calls that a single operator needs.
 */
import { readFileSync, existsSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { analyticProblems } from './analytic.js';
import { dataVariable, readTuningData, tuningDataFolder } from './data.js';
import { peers } from './peers.js';
import type { Problem } from './problem.js';
import { routerProblems } from './router.js';
import { quantile, signTest } from './statistics.js';
import { isRouter, runOnce } from './variants.js';
import type { RunResult, Variant } from './variants.js';

interface Cell {
  readonly problem: string;
  readonly variant: string;
  readonly runs: RunResult[];
}

const analyticVariants: Readonly<Record<string, Variant>> = {
  fermata: {},
  sobol: { method: 'sobol' },
  evolution: { method: 'evolution' },
};
const routerVariants: Readonly<Record<string, Variant>> = {
  'logits, plain': { coding: 'logits' },
  'stick, plain': {},
  'stick, grey': { grey: true },
  'stick, grey, 4 in flight': { grey: true, parallel: 4 },
  sobol: { method: 'sobol', coding: 'logits' },
};

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    only: { type: 'string' },
    json: { type: 'string' },
    variants: { type: 'string' },
  },
});
const folder = tuningDataFolder();
if (!folder) {
  console.log(`skipped: set ${dataVariable} to the folder that holds warmstart.json`);
  process.exit(0);
}
const data = readTuningData(folder);
const seeds = Number(values.seeds);
const wanted = values.only?.split(',');

const all: Problem[] = [...analyticProblems, ...routerProblems];
const cells: Cell[] =
  values.json && existsSync(values.json) ? (JSON.parse(readFileSync(values.json, 'utf8')) as Cell[]) : [];
for (const problem of all)
  for (const hand of isRouter(problem) ? [false, true] : [false]) {
    const name = problem.name + (hand ? '+hand' : '');
    if (wanted && !wanted.includes(name)) continue;
    for (const [variant, how] of Object.entries(isRouter(problem) ? routerVariants : analyticVariants)) {
      if (values.variants && !values.variants.split(';').includes(variant)) continue;
      runCell(problem, name, variant, how, hand);
    }
  }
printBars();

function runCell(problem: Problem, name: string, variant: string, how: Variant, hand: boolean): void {
  let cell = cells.find((other) => other.problem === name && other.variant === variant);
  if (!cell) cells.push((cell = { problem: name, variant, runs: [] }));
  for (let seed = 0; seed < seeds; seed++) {
    if (cell.runs.some((run) => run.seed === seed)) continue;
    const warm = hand ? data.hand[problem.name]! : data.sobol[String(problem.dimensions)]![seed];
    if (!warm) continue;
    cell.runs.push(runOnce(problem, how, seed, warm));
    if (values.json) writeFileSync(values.json, JSON.stringify(cells));
  }
  console.log(row(problem, cell));
}

function worth(problem: Problem, run: RunResult): number {
  return run.hypervolume ?? problem.optimum! - run.truth!;
}

function row(problem: Problem, { problem: name, variant, runs }: Cell): string {
  const found = runs.map((run) => worth(problem, run));
  const show = (value: number | undefined) => (value === undefined ? '-' : value.toPrecision(3));
  const ten = runs.filter(({ seed }) => seed < 10).map((run) => worth(problem, run));
  const feasible = runs.filter((run) => run.feasible).length;
  const published = peers[name] ?? {};
  const seconds = quantile(
    runs.map((run) => run.secondsPerSuggestion),
    0.5,
  );
  return [
    `${name} | ${variant} | ${show(quantile(found, 0.5))} [${show(quantile(found, 0.25))}, ${show(quantile(found, 0.75))}]`,
    show(quantile(ten, 0.5)),
    runs.some((run) => run.feasible !== undefined) ? `${feasible}/${runs.length}` : '-',
    `${seconds.toFixed(3)} s`,
    `sobol ${show(published.sobol)}, tpe ${show(published.tpe)}, optuna-gp ${show(published.optunaGp)}, botorch ${show(published.botorch)}${published.botorchSeeds ? ` (${published.botorchSeeds} seeds)` : ''}`,
  ].join(' | ');
}

function printBars(): void {
  for (const name of ['router5+hand', 'router15+hand']) {
    const grey = cells.find((cell) => cell.problem === name && cell.variant === 'stick, grey');
    const sobol = cells.find((cell) => cell.problem === name && cell.variant === 'sobol');
    if (!grey || !sobol) continue;
    const { wins, losses, p } = signTest(
      grey.runs.map((run) => run.truth!),
      sobol.runs.map((run) => run.truth!),
    );
    console.log(
      `${name}: true U ${quantile(
        grey.runs.map((run) => run.truth!),
        0.5,
      ).toFixed(3)}, ${wins}-${losses} against Sobol, p = ${p.toPrecision(2)}`,
    );
  }
}
