import { mulberry32 } from '../../plans/tuning/numeric/random.js';
import type { Problem } from './problem.js';

type Fn = (u: readonly number[]) => number;

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

const branin: Fn = (u) => {
  const x1 = 15 * u[0]! - 5;
  const x2 = 15 * u[1]!;
  const bowl = x2 - (5.1 / (4 * Math.PI ** 2)) * x1 ** 2 + (5 / Math.PI) * x1 - 6;
  return bowl ** 2 + 10 * (1 - 1 / (8 * Math.PI)) * Math.cos(x1) + 10;
};

const hartmannWeights = [1, 1.2, 3, 3.2];
const hartmann3 = {
  a: [
    [3, 10, 30],
    [0.1, 10, 35],
    [3, 10, 30],
    [0.1, 10, 35],
  ],
  p: [
    [3689, 1170, 2673],
    [4699, 4387, 7470],
    [1091, 8732, 5547],
    [381, 5743, 8828],
  ],
};
const hartmann6 = {
  a: [
    [10, 3, 17, 3.5, 1.7, 8],
    [0.05, 10, 17, 0.1, 8, 14],
    [3, 3.5, 1.7, 10, 17, 8],
    [17, 8, 0.05, 10, 0.1, 14],
  ],
  p: [
    [1312, 1696, 5569, 124, 8283, 5886],
    [2329, 4135, 8307, 3736, 1004, 9991],
    [2348, 1451, 3522, 2883, 3047, 6650],
    [4047, 8828, 8732, 5743, 1091, 381],
  ],
};

function hartmann({ a, p }: { readonly a: number[][]; readonly p: number[][] }): Fn {
  return (u) =>
    -sum(hartmannWeights.map((w, i) => w * Math.exp(-sum(u.map((v, j) => a[i]![j]! * (v - 1e-4 * p[i]![j]!) ** 2)))));
}

const ackley: Fn = (u) => {
  const x = u.map((v) => -5 + 15 * v);
  const rootMean = Math.sqrt(sum(x.map((v) => v * v)) / x.length);
  return (
    -20 * Math.exp(-0.2 * rootMean) - Math.exp(sum(x.map((v) => Math.cos(2 * Math.PI * v))) / x.length) + 20 + Math.E
  );
};

const levy: Fn = (u) => {
  const w = u.map((v) => 1 + (-5 + 15 * v - 1) / 4);
  const last = w.at(-1)!;
  return (
    Math.sin(Math.PI * w[0]!) ** 2 +
    sum(w.slice(0, -1).map((v) => (v - 1) ** 2 * (1 + 10 * Math.sin(Math.PI * v + 1) ** 2))) +
    (last - 1) ** 2 * (1 + Math.sin(2 * Math.PI * last) ** 2)
  );
};

function analytic(name: string, fn: Fn, dimensions: number, minimum: number, noise: number): Problem {
  const truth = (x: readonly number[]) => ({ y: -fn(x) });
  return {
    name,
    dimensions,
    objective: { mode: 'metric', metric: 'y' },
    noisy: noise > 0,
    optimum: -minimum,
    truth,
    observer(seed) {
      const random = mulberry32(1000 + seed);
      return (x) => ({ y: truth(x).y + random.normal() * noise });
    },
  };
}

function constrained(name: string, fn: Fn, limit: Fn, dimensions: number, optimum: number, noise: number): Problem {
  const truth = (x: readonly number[]) => ({ y: -fn(x), g0: limit(x) });
  return {
    name,
    dimensions,
    objective: { mode: 'metric', metric: 'y', constraints: ['g0'] },
    noisy: noise > 0,
    optimum,
    truth,
    observer(seed) {
      const random = mulberry32(1000 + seed);
      return (x) => {
        const { y, g0 } = truth(x);
        return { y: y + noise * random.normal(), g0: g0 + noise * random.normal() };
      };
    },
  };
}

function front(
  name: string,
  dimensions: number,
  goals: (x: readonly number[]) => readonly [number, number, number],
): Problem {
  const truth = (x: readonly number[]) => {
    const [o0, o1, o2] = goals(x);
    return { o0, o1, o2 };
  };
  return {
    name,
    dimensions,
    objective: { mode: 'metrics', metrics: ['o0', 'o1', 'o2'] },
    noisy: false,
    truth,
    observer: () => truth,
  };
}

const gardner: Fn = (x) => Math.cos(12 * x[0]!) * Math.cos(6 * x[1]!) + Math.sin(6 * x[0]!);
const gardnerLimit: Fn = (x) => Math.cos(6 * x[0]! + 6 * x[1]!) - 0.5;

/** The analytic problems of the peers' bench, by name. */
export const analyticProblems: readonly Problem[] = [
  analytic('branin', branin, 2, 0.397887357729738, 0),
  analytic('branin-n', branin, 2, 0.397887357729738, 5),
  analytic('hartmann3', hartmann(hartmann3), 3, -3.86277978, 0),
  analytic('hartmann3-n', hartmann(hartmann3), 3, -3.86277978, 0.1),
  analytic('hartmann6', hartmann(hartmann6), 6, -3.32236801, 0),
  analytic('hartmann6-n', hartmann(hartmann6), 6, -3.32236801, 0.1),
  analytic('ackley5', ackley, 5, 0, 0),
  analytic('ackley5-n', ackley, 5, 0, 0.5),
  analytic('levy8', levy, 8, 0, 0),
  analytic('levy8-n', levy, 8, 0, 5),
  constrained('gardner', gardner, gardnerLimit, 2, 2, 0),
  constrained('gardner-n', gardner, gardnerLimit, 2, 2, 0.1),
  constrained('chartmann6', hartmann(hartmann6), (x) => sum(x) - 1.6, 6, 2.786455445901308, 0),
  constrained('chartmann6-n', hartmann(hartmann6), (x) => sum(x) - 1.6, 6, 2.786455445901308, 0.1),
  front('dtlz2-3', 6, (x) => {
    const g = 1 + sum(x.slice(2).map((v) => (v - 0.5) ** 2));
    const [a, b] = [(x[0]! * Math.PI) / 2, (x[1]! * Math.PI) / 2];
    const f = [Math.cos(a) * Math.cos(b), Math.cos(a) * Math.sin(b), Math.sin(a)].map((v) => 1 - (g * v) / 1.1);
    return [f[0]!, f[1]!, f[2]!];
  }),
  front('zdt1x-3', 6, (x) => {
    const rest = sum(x.slice(1)) / (x.length - 1);
    const g = 1 + 9 * rest;
    const f2 = g * (1 - Math.sqrt(x[0]! / g));
    return [1 - f2 / 5, 1 - x[0]!, 1 - 0.5 * (x[0]! + 1 - rest)];
  }),
];
