/**
 * How often cascades miss their targets and what they save, on synthetic scores with known labels:
 * `node dist/bench/cascade/main.js [--runs 1000] [--size 2000] [--seed 1]`. Prints a table and writes JSON.
 */
import { parseArgs } from 'node:util';
import { printSection, round, writeReport } from '../harness/report.js';
import type { Row } from '../harness/report.js';
import { lotus, supg } from './anchors.js';
import { population, populationNames } from './populations.js';
import { ours, simulate } from './simulate.js';
import type { Learner } from './simulate.js';
import type { SampleScheme } from '../../plans/physical/cascade/sample.js';
import type { Targets } from '../../plans/physical/cascade/targets.js';

const { values } = parseArgs({
  options: {
    runs: { type: 'string', default: '1000' },
    size: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
  },
});
const runs = Number(values.runs);
const size = Number(values.size);
const seed = Number(values.seed);

const targets: Targets = { recall: 0.9, precision: 0.9, confidence: 0.95 };
const budgets = [50, 200, 500];
const ways: readonly { readonly name: string; readonly learner: Learner; readonly scheme: SampleScheme }[] = [
  { name: 'uniform', learner: ours, scheme: 'uniform' },
  { name: 'importance', learner: ours, scheme: 'importance' },
  { name: 'lotus-like', learner: lotus, scheme: 'importance' },
  { name: 'supg-like', learner: supg, scheme: 'importance' },
];

const rows: Row[] = populationNames.flatMap((name) => {
  const drawn = population(name, size, seed);
  return budgets.flatMap((budget) =>
    ways.map(({ name: way, learner, scheme }) => {
      const [tally] = simulate({ population: drawn, scheme, budget, runs, seed }, learner, [targets]);
      return {
        population: name,
        sample: budget,
        way,
        'recall missed %': round((100 * tally!.recallFailures) / runs),
        'precision missed %': round((100 * tally!.precisionFailures) / runs),
        'calls %': round(100 * tally!.callShare),
      };
    }),
  );
});
const sections = [
  {
    title: `recall and precision ≥ 0.9 at confidence 0.95; ${size} tuples, ${runs} samples each, seed ${seed}`,
    rows,
  },
];
sections.forEach(printSection);
writeReport({ bench: 'cascade', simulated: 'Scores and labels are synthetic; no model is called.', sections });
