import type { Metrics } from '../../plans/tuning/history.js';
import { softmaxMasses } from '../../plans/tuning/masses.js';
import { mulberry32 } from '../../plans/tuning/numeric/random.js';
import type { Objective } from '../../plans/tuning/objective/objective.js';
import type { Problem } from './problem.js';

interface Tier {
  readonly high: number;
  readonly low: number;
  readonly mid: number;
  readonly width: number;
  readonly seconds: number;
  readonly usd: number;
}

/** One routed operator: its tiers, the best threshold of those that have one, and how hard its rows are. */
export interface RoutedOperator {
  readonly tiers: readonly Tier[];
  readonly thresholds: ReadonlyMap<number, number>;
  readonly shift: number;
}

/** Settings of one operator: shares of rows of its tiers, thresholds in tier order. */
export interface OperatorSetting {
  readonly masses: readonly number[];
  readonly thresholds: readonly number[];
}

const sym = { high: 0.93, low: 0.18, mid: 0.3, width: 0.08, seconds: 0.0005, usd: 1e-6 };
const spec = { high: 0.92, low: 0.35, mid: 0.6, width: 0.1, seconds: 0.02, usd: 1e-5 };
const middle = { high: 0.94, low: 0.6, mid: 0.85, width: 0.12, seconds: 0.35, usd: 2e-4 };
const big = { high: 0.96, low: 0.82, mid: 0.95, width: 0.15, seconds: 1.2, usd: 2.5e-3 };

const four: RoutedOperator = { tiers: [sym, spec, middle, big], thresholds: new Map([[1, 0.55]]), shift: 0 };
const three: RoutedOperator = { tiers: [sym, spec, big], thresholds: new Map([[1, 0.35]]), shift: -0.15 };
const fourB: RoutedOperator = {
  tiers: [sym, spec, middle, big],
  thresholds: new Map([
    [1, 0.45],
    [2, 0.3],
  ]),
  shift: 0.1,
};

export const rows = 50;
const grid = Array.from({ length: 400 }, (_, i) => (i + 0.5) / 400);
const ranks = Array.from({ length: rows }, (_, i) => (i + 1) / rows);

/** Chance that a tier is right about a row of percentile u. */
export function accuracy(operator: RoutedOperator, k: number, setting: OperatorSetting, u: number): number {
  const { low, high, mid, width } = operator.tiers[k]!;
  const shifted = Math.min(2, Math.max(0, u + operator.shift));
  const plain = low + (high - low) / (1 + Math.exp(-(mid - shifted) / width));
  const threshold = thresholdOf(operator, k, setting);
  return threshold === undefined ? plain : plain * (1 - 0.6 * (threshold - operator.thresholds.get(k)!) ** 2);
}

function thresholdOf(operator: RoutedOperator, k: number, setting: OperatorSetting): number | undefined {
  return setting.thresholds[[...operator.thresholds.keys()].indexOf(k)];
}

/** Tier that a row of percentile u goes to. */
export function tierOf(setting: OperatorSetting, u: number): number {
  let cut = 0;
  for (let k = 0; k < setting.masses.length - 1; k++) {
    cut += setting.masses[k]!;
    if (cut >= u - 1e-12) return k;
  }
  return setting.masses.length - 1;
}

export class Router {
  readonly operators: readonly RoutedOperator[];
  readonly maxSeconds: number;
  readonly maxUsd: number;

  constructor(operators: readonly RoutedOperator[]) {
    this.operators = operators;
    const total = (of: (tier: Tier) => number) =>
      rows * operators.reduce((sum, { tiers }) => sum + of(tiers.at(-1)!), 0);
    this.maxSeconds = total((tier) => tier.seconds);
    this.maxUsd = total((tier) => tier.usd);
  }

  /** Settings from the peers' layout: per operator the logits of its tiers, then its thresholds. */
  settings(x: readonly number[]): OperatorSetting[] {
    let at = 0;
    return this.operators.map(({ tiers, thresholds }) => {
      const masses = softmaxMasses(x.slice(at, at + tiers.length));
      at += tiers.length;
      const chosen = x.slice(at, at + thresholds.size);
      at += thresholds.size;
      return { masses, thresholds: chosen };
    });
  }

  /** Seconds and USD of all rows when they lie at percentiles `us`. */
  spend(settings: readonly OperatorSetting[], us: readonly number[]): { latencySeconds: number; costUsd: number } {
    let seconds = 0;
    let usd = 0;
    this.operators.forEach((operator, j) => {
      const top = operator.tiers.at(-1)!;
      for (const u of us) {
        const k = tierOf(settings[j]!, u);
        const escalated = 0.15 * (thresholdOf(operator, k, settings[j]!) ?? 0) ** 2;
        seconds += operator.tiers[k]!.seconds + escalated * top.seconds;
        usd += operator.tiers[k]!.usd + escalated * top.usd;
      }
    });
    return { latencySeconds: (rows * seconds) / us.length, costUsd: (rows * usd) / us.length };
  }

  /** What a scheduler knows beforehand: the profile of each tier times the masses themselves, no row needed. */
  profile(settings: readonly OperatorSetting[]): { latencySeconds: number; costUsd: number } {
    let seconds = 0;
    let usd = 0;
    this.operators.forEach((operator, j) => {
      const top = operator.tiers.at(-1)!;
      operator.tiers.forEach((tier, k) => {
        const mass = settings[j]!.masses[k]!;
        const escalated = 0.15 * (thresholdOf(operator, k, settings[j]!) ?? 0) ** 2;
        seconds += mass * (tier.seconds + escalated * top.seconds);
        usd += mass * (tier.usd + escalated * top.usd);
      });
    });
    return { latencySeconds: rows * seconds, costUsd: rows * usd };
  }

  truth(settings: readonly OperatorSetting[]): Metrics {
    let quality = 0;
    for (const u of grid) {
      let right = 1;
      this.operators.forEach((operator, j) => (right *= accuracy(operator, tierOf(settings[j]!, u), settings[j]!, u)));
      quality += right / grid.length;
    }
    return { quality, ...this.spend(settings, grid) };
  }

  observer(seed: number): (settings: readonly OperatorSetting[]) => Metrics {
    const random = mulberry32(5000 + seed);
    const { draws, percentiles } = this.validation(random);
    return (settings) => {
      const right = new Array<boolean>(rows).fill(true);
      const { latencySeconds, costUsd } = this.spend(settings, ranks);
      this.operators.forEach((operator, j) => {
        for (let r = 0; r < rows; r++) {
          const k = tierOf(settings[j]!, ranks[r]!);
          // A model that is not deterministic: one answer in ten is drawn anew.
          const v = random.uniform() < 0.1 ? random.uniform() : draws[r]![j]![k]!;
          right[r] = v < accuracy(operator, k, settings[j]!, percentiles[r]!) && right[r]!;
        }
      });
      const quality = right.filter(Boolean).length / rows;
      const slower = Math.exp(0.1 * random.normal());
      return { quality, latencySeconds: latencySeconds * slower, costUsd: costUsd * Math.exp(0.02 * random.normal()) };
    };
  }

  /** Fixed draws of the validation rows: row, operator, tier; and each row's true percentile. */
  validation(random: ReturnType<typeof mulberry32>): { draws: number[][][]; percentiles: number[] } {
    const draws = ranks.map(() => this.operators.map(({ tiers }) => tiers.map(() => random.uniform())));
    const percentiles = ranks.map((u) => u + 0.08 * random.normal()).map((u) => Math.min(1, Math.max(0, u)));
    return { draws, percentiles };
  }
}

export const router5 = new Router([four]);
export const router15 = new Router([four, three, fourB]);

const weights = { quality: 1, latency: 0.4, cost: 0.3 };

function routerProblem(
  name: string,
  router: Router,
  optimum: number | undefined,
  objective: Objective,
): Problem & { router: Router } {
  return {
    name,
    router,
    dimensions: router.operators.reduce((sum, { tiers, thresholds }) => sum + tiers.length + thresholds.size, 0),
    objective,
    noisy: true,
    ...(optimum === undefined ? {} : { optimum }),
    truth: (x) => router.truth(router.settings(x)),
    observer(seed) {
      const observe = router.observer(seed);
      return (x) => observe(router.settings(x));
    },
  };
}

function reference(router: Router): { readonly latencySeconds: number; readonly costUsd: number } {
  return { latencySeconds: router.maxSeconds, costUsd: router.maxUsd };
}

/** The router problems of the peers' bench; the optimum is the best value seen by anything. */
export const routerProblems = [
  routerProblem('router5', router5, 0.529, { mode: 'utility', weights, reference: reference(router5) }),
  routerProblem('router15', router15, 0.182, { mode: 'utility', weights, reference: reference(router15) }),
  routerProblem('router15-c', router15, 0.5863395497612202, {
    mode: 'constrained',
    weights: { quality: 1, latency: 0, cost: 0 },
    reference: reference(router15),
    limits: { latencySeconds: 0.15 * router15.maxSeconds, costUsd: 0.15 * router15.maxUsd },
    extrapolation: 1,
  }),
  routerProblem('router15-p', router15, undefined, { mode: 'pareto', reference: reference(router15) }),
];
