/**
 * Time of the optimizer by number of filters (PLOP figure 9), and what it chooses as α, s_i and s_⋈ vary (figures 7 and 8),
 * on the analytic model: `node dist/bench/placement/main.js`. Prints tables and writes JSON.
 */
import { performance } from 'node:perf_hooks';
import { type CostConstants, paperConstants } from '../../plans/placement/cost-model.js';
import { cheapest } from '../../plans/placement/dp.js';
import { instanceOf } from '../../plans/placement/instance.js';
import { takeOut } from '../../plans/placement/skeleton.js';
import { placeByCost } from '../../plans/placement/steps/place-by-cost.js';
import { pushDown } from '../../plans/placement/steps/push-down.js';
import { placeOperators, placementStrategies } from '../../plans/placement/strategies.js';
import type { PlacementTree } from '../../plans/placement/tree.js';
import { printSection, round, type Row, writeReport } from '../harness/report.js';
import { chain } from './plans.js';

/** Median milliseconds of a few runs. */
function median(run: () => void, times = 7): number {
  const taken = Array.from({ length: times }, () => {
    const from = performance.now();
    run();
    return performance.now() - from;
  });
  return taken.sort((a, b) => a - b)[Math.floor(times / 2)] ?? NaN;
}

function timing(filters: number): Row {
  const tree = chain({ relations: 10, filters, rows: 1000, fanout: 1.5 });
  const model = { constants: paperConstants };
  const skeleton = takeOut(pushDown(tree).tree);
  const instance = instanceOf(skeleton, model);
  const { optimal } = placeByCost(skeleton, model);
  return {
    filters,
    operators: instance.nodes.length,
    'DP ms': optimal
      ? round(
          median(() => cheapest(instance)),
          2,
        )
      : undefined,
    'placement ms': round(
      median(() => placeByCost(skeleton, model)),
      2,
    ),
    'whole optimizer ms': round(
      median(() => placeOperators(tree, 'cost', model)),
      2,
    ),
    optimal,
  };
}

/** Five relations with one filter each: PLOP §1's chain, whose joins grow when nothing is filtered. */
const example = chain({ relations: 5, filters: 5, rows: 1000, fanout: 10 });

function compared(tree: PlacementTree, varied: Partial<CostConstants>): Row {
  const constants = { ...paperConstants, ...varied };
  const placed = placementStrategies.map((strategy) => placeOperators(tree, strategy, { constants }));
  const cells = placed.flatMap(({ strategy, price }) => [
    [`${strategy} calls`, round(price.calls)] as const,
    [`${strategy} rows`, Math.round(price.work + price.lookups)] as const,
  ]);
  return { ...varied, ...Object.fromEntries(cells) };
}

const alphas = [1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 1e-1, 1];
const shares = [0.01, 0.05, 0.1, 0.2, 0.5, 0.9];
const sections = [
  {
    title: 'time of the optimizer: 10 relations in a chain, filters in turn',
    rows: [2, 4, 6, 8, 12, 16, 20, 30].map(timing),
  },
  {
    title: 'α, on a chain of 5 relations with a filter each',
    rows: alphas.map((alpha) => compared(example, { alpha })),
  },
  {
    title: 's_i and s_⋈ at α = 1e-3, same chain',
    rows: shares.flatMap((selectivity) =>
      shares.map((joinSelectivity) => compared(example, { alpha: 1e-3, selectivity, joinSelectivity })),
    ),
  },
];
sections.forEach(printSection);
writeReport({ bench: 'placement', simulated: 'Calls and rows are those of the cost model; nothing is run.', sections });
