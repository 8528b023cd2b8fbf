/** One query in one of Fermata's systems: a search for a plan where it has one, the query, and what the pool counted of both. */
import { readRoutedPlan } from '../../plans/physical/routed/plan.schema.js';
import type { RoutedPlan } from '../../plans/physical/routed/plan.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { load } from '../harness/machine.js';
import { qualityOf, type ResultRow } from './gold.js';
import { type Bench, counted, type Outcome } from './counted.js';
import type { Use } from './record.js';
import type { SemQuery } from './scenario.js';
import { runPeer } from './peers/run.js';
import { type OwnSystem, type System, sqlOf } from './systems.js';

export async function measure(bench: Bench, system: System, query: SemQuery): Promise<Outcome> {
  try {
    return 'peer' in system ? await runPeer(bench, system, query) : await own(bench, system, query);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return FermataError.is(error) ? { status: 'refused', why: `${error.code}: ${why}` } : { status: 'failed', why };
  }
}

async function own(bench: Bench, system: OwnSystem, query: SemQuery): Promise<Outcome> {
  const found = system.search === undefined ? undefined : await search(bench, system, query);
  const strategy = found === undefined ? system.strategy : ({ kind: 'routed', plan: found.plan } as const);
  const asked = await counted(bench, bench.timeScale, async (): Promise<readonly ResultRow[]> => {
    const run = await bench.project.fermata.sql(sqlOf(system, query), {
      ...{ tables: bench.tables, cache: false, model: system.model, budget: { seconds: bench.limitSeconds } },
      ...(strategy === undefined ? {} : { strategy }),
    });
    const result = await run.result();
    if (result.stop !== 'complete') throw new Error(`ended at a limit (${result.stop})`);
    if (result.errors.count > 0) {
      const [first] = await run.errors();
      throw new Error(`${result.errors.count} rows failed, the first by ${first?.code ?? ''}: ${first?.message ?? ''}`);
    }
    return run.rows();
  });
  return {
    status: 'ok',
    metric: query.gold.metric,
    quality: qualityOf(asked.value, query.gold),
    rows: asked.value.length,
    use: asked.use,
    ...(found === undefined ? {} : { search: found.use, plan: planText(found.plan) }),
    load: load(),
  };
}

async function search(
  bench: Bench,
  system: OwnSystem,
  query: SemQuery,
): Promise<{ readonly plan: RoutedPlan; readonly use: Use }> {
  const { value, use } = await counted(bench, 1, async () => {
    const optimization = await bench.project.fermata.optimize(query.searched ?? query.sql, {
      ...{ tables: bench.tables, cache: false, model: system.model, candidates: ['mini', 'nano'] },
      ...(system.search === undefined ? {} : { weights: system.search }),
    });
    await optimization.result();
    return optimization.plan();
  });
  return { plan: readRoutedPlan(JSON.parse(value), 'the plan that was found'), use };
}

/** Implementations with the shares of rows that come to each first. */
function planText({ implementations, router }: RoutedPlan): string {
  const most = Math.max(...router.logits);
  const masses = router.logits.map((logit) => Math.exp(logit - most));
  const all = masses.reduce((sum, mass) => sum + mass, 0);
  return implementations.map(({ name }, at) => `${name} ${Math.round((100 * (masses[at] ?? 0)) / all)} %`).join(', ');
}
