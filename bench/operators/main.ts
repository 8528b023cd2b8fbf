/** Every operator and its strategies on the simulated pool: rows, calls, price, and how right the answers are. */
import type { OperatorProgress } from '../../plans/protocol/run.js';
import { strategiesOf } from '../../plans/physical/strategies.js';
import type { StrategyKind, StrategyRequest } from '../../plans/protocol/strategy.js';
import { load } from '../harness/machine.js';
import { type Report, type Row, round } from '../harness/report.js';
import { type DifficultyMode, difficultyModes } from '../pool/truth/difficulty.js';
import { cases, type OperatorCase } from './cases.js';
import { type Measured, modelName, openPoolProject, type PoolProject, strategyNamed } from './pool-project.js';

const defaultTickets = 1000;
/** What any query over one relation can be run by; joins and top-k have benches or tests of their own. */
const general = ['direct', 'cascade', 'batched', 'chunked'] as const satisfies readonly StrategyKind[];
/** Recall and precision that cascades are held to, each at a confidence of 0.95. */
const targetLevels = [0.95, 0.9, 0.85] as const;

export async function bench([size]: readonly string[]): Promise<Report> {
  const tickets = size === undefined ? defaultTickets : Number(size);
  const pool = await openPoolProject({ tickets, modes: difficultyModes });
  const table: Row[] = [];
  const cascades: Row[] = [];
  try {
    for (const operator of cases) {
      const own = strategiesOf(operator.operator);
      for (const kind of general.filter((one) => own.includes(one))) {
        const strategy = strategyNamed(kind, 'sourced');
        table.push(rowOf(operator, kind, await pool.measure(operator, { strategy })));
      }
    }
    const filter = cases.find(({ name }) => name === 'filter');
    if (filter !== undefined) for (const mode of difficultyModes) cascades.push(...(await compare(pool, filter, mode)));
  } finally {
    await pool.close();
  }
  return {
    bench: 'operators',
    simulated:
      `SIMULATED models: the pool answers from the truth of ${tickets} made-up tickets, at once, with the errors and prices of ` +
      'bench/pool/profiles.json (sim-strong answers, sim-mini and sim-nano are proxies). The engine is real.',
    sections: [
      { title: `Operators over ${tickets} tickets, difficulty as sourced`, rows: table },
      { title: 'Cascades beside the oracle alone, targets against the oracle at a confidence of 0.95', rows: cascades },
    ],
  };
}

function rowOf(operator: OperatorCase, strategy: string, { right, of, rows, result }: Measured): Row {
  const { calls, cached, usd, inputTokens, outputTokens } = result.spend;
  return {
    operator: operator.name,
    strategy,
    inputs: Math.max(0, ...result.operators.map(({ inputs }) => inputs)),
    rows: rows.length,
    calls,
    cached,
    'tokens in': inputTokens,
    out: outputTokens,
    'USD (pool)': round(usd, 4),
    measure: operator.measure,
    quality: round(right / of, 3),
    failed: result.errors.count,
    seconds: round(result.ms / 1000),
    load: load(),
  };
}

/** The oracle alone, and with each proxy at each level of targets. */
async function compare(pool: PoolProject, filter: OperatorCase, mode: DifficultyMode): Promise<readonly Row[]> {
  const direct = await pool.measure(filter, { mode });
  const oracle = idsOf(direct);
  const row = (strategy: string, measured: Measured): Row => {
    const output = idsOf(measured);
    const both = [...output].filter((id) => oracle.has(id)).length;
    return {
      difficulty: mode,
      strategy,
      'calls of the oracle': callsOf(measured.result.operators, modelName('strong', mode)),
      'all calls': measured.result.spend.calls,
      'USD (pool)': round(measured.result.spend.usd, 4),
      'recall of the oracle': round(both / oracle.size, 3),
      precision: round(both / output.size, 3),
      'accuracy against truth': round(measured.right / measured.of, 3),
    };
  };
  const rows = [row('direct', direct)];
  for (const proxy of ['mini', 'nano'] as const) {
    for (const level of targetLevels) {
      const targets = { recall: level, precision: level, confidence: 0.95 };
      const strategy: StrategyRequest = { kind: 'cascade', proxy: modelName(proxy, mode), targets };
      rows.push(row(`cascade, ${proxy}, ${level}`, await pool.measure(filter, { mode, strategy })));
    }
  }
  return rows;
}

function idsOf({ rows }: Measured): ReadonlySet<number> {
  return new Set(rows.map((row) => Number(row['id'])));
}

function callsOf(operators: readonly OperatorProgress[], model: string): number {
  return operators.filter((operator) => operator.model === model).reduce((sum, { calls }) => sum + calls, 0);
}
