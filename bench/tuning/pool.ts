/**
 * Validation calls that tuning one routed operator needs when every answer is kept: the plain tuner of the paper (softmax
 * logits, each trial asks for all rows) beside the grey box with counterfactual prices, racing and exact cutpoints.
 * An answer is that of a tier to a row at a threshold rounded to 0.05; asking again for the same one is no call.
 *
 * `FERMATA_TUNING_DATA=… node dist/bench/tuning/pool.js [seeds]`
 */
import { best } from '../../plans/tuning/best.js';
import { bucketsOfRows } from '../../plans/tuning/counterfactual/answers.js';
import { optimiseCutpoints, smoothed } from '../../plans/tuning/counterfactual/cutpoints.js';
import { emptyHistory, recordTrial } from '../../plans/tuning/history.js';
import { mulberry32 } from '../../plans/tuning/numeric/random.js';
import { criteriaOf } from '../../plans/tuning/objective/objective.js';
import { judgeRace } from '../../plans/tuning/racing.js';
import type { Configuration } from '../../plans/tuning/space.js';
import { suggest } from '../../plans/tuning/suggest.js';
import type { SuggestOptions } from '../../plans/tuning/suggest.js';
import { dataVariable, readTuningData, tuningDataFolder } from './data.js';
import { accuracy, router5, routerProblems, rows } from './router.js';
import type { OperatorSetting } from './router.js';
import { quantile } from './statistics.js';
import { configurationOf, routerSpace, settingsOf } from './variants.js';

const problem = routerProblems[0]!;
const operator = router5.operators[0]!;
const [criterion] = criteriaOf(problem.objective).goals;
const trials = 20;

/** The kept answers of one seed's validation rows. */
class Pool {
  readonly seen = new Set<string>();
  readonly draws: number[][][];
  readonly percentiles: number[];
  calls = 0;

  constructor(seed: number) {
    ({ draws: this.draws, percentiles: this.percentiles } = router5.validation(mulberry32(5000 + seed)));
  }

  private key(setting: OperatorSetting, tier: number, row: number): string {
    const threshold = operator.thresholds.has(tier) ? Math.round(setting.thresholds[0]! * 20) / 20 : 0;
    return `${tier} ${row} ${threshold}`;
  }

  has(setting: OperatorSetting, tier: number, row: number): boolean {
    return this.seen.has(this.key(setting, tier, row));
  }

  ask(setting: OperatorSetting, tier: number, row: number, keep: boolean): number {
    if (!keep || !this.has(setting, tier, row)) this.calls++;
    this.seen.add(this.key(setting, tier, row));
    return Number(this.draws[row]![0]![tier]! < accuracy(operator, tier, setting, this.percentiles[row]!));
  }
}

interface Outcome {
  readonly calls: number;
  readonly utility: number;
}

function plain(seed: number, warm: readonly Configuration[], coding: 'stick' | 'softmax'): Outcome {
  const pool = new Pool(seed);
  const space = routerSpace(router5, coding);
  const options: SuggestOptions = { objective: problem.objective, warmStarts: warm };
  let history = emptyHistory(seed, rows);
  for (let i = 0; i < warm.length + trials; i++) {
    const { configuration } = suggest(history, space, options)[0]!;
    const [setting] = settingsOf(router5, configuration);
    const scores = bucketsOfRows(setting!.masses, rows).map((tier, row) => pool.ask(setting!, tier, row, false));
    const metrics = { quality: mean(scores), ...router5.profile([setting!]) };
    history = recordTrial(history, { id: String(i), configuration, status: 'done', metrics });
  }
  const chosen = best(history, space, options).incumbent!.configuration;
  return { calls: pool.calls, utility: trueUtility(settingsOf(router5, chosen)) };
}

function counterfactual(seed: number, warm: readonly Configuration[]): Outcome {
  const pool = new Pool(seed);
  const space = routerSpace(router5, 'stick');
  const price = (configuration: Configuration) => {
    const [setting] = settingsOf(router5, configuration);
    const tiers = bucketsOfRows(setting!.masses, rows);
    return tiers.reduce(
      (sum, tier, row) => sum + (pool.has(setting!, tier, row) ? 0 : operator.tiers[tier]!.usd + 1e-4),
      0,
    );
  };
  const options: SuggestOptions = {
    objective: problem.objective,
    warmStarts: warm,
    knownMetrics: (configuration) => router5.profile(settingsOf(router5, configuration)),
    priceUsd: price,
  };
  const order = shuffled(rows, seed);
  let history = emptyHistory(seed, rows);
  let incumbent: { scores: number[]; rest: number; utility: number } | undefined;
  let paid = 0;
  for (let i = 0; paid < warm.length + trials && i < 60; i++) {
    const { configuration } = suggest(history, space, options)[0]!;
    const [setting] = settingsOf(router5, configuration);
    const profile = router5.profile([setting!]);
    const rest = criterion!.split!.rest(profile);
    const priceUsd = price(configuration);
    if (priceUsd > 0) paid++;
    const tiers = bucketsOfRows(setting!.masses, rows);
    const scores: number[] = [];
    let verdict = 'continue';
    for (const row of order) {
      if (incumbent)
        verdict = judgeRace({ candidate: scores, incumbent: incumbent.scores, neededGain: incumbent.rest - rest });
      if (verdict !== 'continue' && scores.length > 0) break;
      scores.push(pool.ask(setting!, tiers[row]!, row, true));
    }
    const whole = scores.length === rows;
    const metrics = { quality: mean(scores), ...profile };
    const status = whole ? ('done' as const) : ('abandoned' as const);
    history = recordTrial(history, { id: String(i), configuration, status, metrics, rows: scores.length, priceUsd });
    const utility = mean(scores) + rest;
    if (whole && utility > (incumbent?.utility ?? -Infinity)) incumbent = { scores, rest, utility };
  }
  const chosen = best(history, space, options).incumbent!.configuration;
  return finish(pool, settingsOf(router5, chosen)[0]!);
}

/** Asks for what is missing at the chosen threshold, then takes the best cutpoints of the smoothed record. */
function finish(pool: Pool, setting: OperatorSetting): Outcome {
  const records = operator.tiers.map((tier, k) => {
    const answers = Array.from({ length: rows }, (_, row) => pool.ask(setting, k, row, true));
    const escalated = 0.15 * (operator.thresholds.has(k) ? setting.thresholds[0]! ** 2 : 0);
    const top = operator.tiers.at(-1)!;
    return {
      quality: smoothed(answers, 0.08),
      seconds: answers.map(() => tier.seconds + escalated * top.seconds),
      usd: answers.map(() => tier.usd + escalated * top.usd),
    };
  });
  const { masses } = optimiseCutpoints(records, (metrics) => criterion!.value(metrics));
  return { calls: pool.calls, utility: trueUtility([{ ...setting, masses }]) };
}

function trueUtility(settings: readonly OperatorSetting[]): number {
  return criterion!.value(router5.truth(settings));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);
}

function shuffled(count: number, seed: number): number[] {
  const random = mulberry32(900 + seed);
  const keys = Array.from({ length: count }, () => random.uniform());
  return keys.map((_, i) => i).sort((a, b) => keys[a]! - keys[b]!);
}

const folder = tuningDataFolder();
if (!folder) {
  console.log(`skipped: set ${dataVariable} to the folder that holds warmstart.json`);
  process.exit(0);
}
const data = readTuningData(folder);
const seeds = Array.from({ length: Number(process.argv[2] ?? 20) }, (_, seed) => seed);
const warm = data.hand['router5']!.map((x) => configurationOf(router5, router5.settings(x)));
const strategies: Readonly<Record<string, (seed: number) => Outcome>> = {
  'plain, softmax': (seed) => plain(seed, warm, 'softmax'),
  'plain, stick': (seed) => plain(seed, warm, 'stick'),
  'grey box, counterfactual, racing, exact cutpoints': (seed) => counterfactual(seed, warm),
};
for (const [name, run] of Object.entries(strategies)) {
  const outcomes = seeds.map(run);
  const of = (pick: (outcome: Outcome) => number) =>
    [0.5, 0.25, 0.75].map((p) => quantile(outcomes.map(pick), p).toPrecision(3));
  const [calls, utility] = [of((o) => o.calls), of((o) => o.utility)];
  console.log(
    `${name}: calls ${calls[0]} [${calls[1]}, ${calls[2]}], true U ${utility[0]} [${utility[1]}, ${utility[2]}]`,
  );
}
