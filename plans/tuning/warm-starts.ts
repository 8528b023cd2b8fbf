/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { rank } from './best.js';
import type { BestOptions } from './best.js';
import { encodingOf } from './encoding.js';
import { largestStep } from './acquisition/maximize.js';
import type { TrialHistory } from './history.js';
import { valueProblem } from './space.js';
import type { Configuration, Masses, Parameter, ParameterValue, SearchSpace } from './space.js';

/** Mass that a favoured bucket gets; the others share the rest. */
const favour = 0.9;

const regimes = {
  even: ({ buckets }) => new Array<number>(buckets).fill(1 / buckets),
  cheapest: ({ buckets }) => favouring(0, buckets),
  second: ({ buckets }) => favouring(Math.min(1, buckets - 1), buckets),
  strongest: ({ buckets }) => favouring(buckets - 1, buckets),
  /** Each bucket half of the one before: most rows cheap, a few at the top. */
  cascade: ({ buckets }) => {
    const weights = Array.from({ length: buckets }, (_, k) => 0.5 ** k);
    const sum = weights.reduce((total, weight) => total + weight, 0);
    return weights.map((weight) => weight / sum);
  },
} as const satisfies Record<string, (parameter: Masses) => number[]>;

/**
 * Hand-made configurations in distinct regimes of backends (CADENZA §5.2): even split, cheapest, second, strongest,
 * cascade. Other parameters are at their middle or first choice. Repeats are left out.
 */
export function regimeStarts(space: SearchSpace): Configuration[] {
  const starts = Object.values(regimes).map((masses) =>
    Object.fromEntries(space.parameters.map((parameter) => [parameter.name, startOf(parameter, masses)])),
  );
  const seen = new Set<string>();
  return starts.filter((start) => {
    const key = JSON.stringify(start);
    return seen.has(key) ? false : Boolean(seen.add(key));
  });
}

/**
 * The best configurations of earlier tuning (another plan of the instance, a cached plan) that are valid in this space, not
 * close to each other, best first. Parameters that the earlier space had and this one lacks are dropped; one that is new
 * here makes an earlier configuration unusable.
 */
export function transferredStarts(
  earlier: readonly { readonly history: TrialHistory; readonly space: SearchSpace }[],
  space: SearchSpace,
  options: BestOptions & { readonly count: number },
): Configuration[] {
  const encoding = encodingOf(space);
  const chosen: Configuration[] = [];
  const lists = earlier.map(({ history, space: theirs }) => rank(history, theirs, options));
  const longest = Math.max(0, ...lists.map(({ length }) => length));
  for (let place = 0; place < longest; place++)
    for (const standing of lists.flatMap((list) => list[place] ?? [])) {
      const configuration = fitted(standing.configuration, space);
      if (!configuration || chosen.length >= options.count) continue;
      const point = encoding.encode(configuration);
      if (chosen.every((other) => largestStep(encoding.encode(other), point) > 0.1)) chosen.push(configuration);
    }
  return chosen;
}

function fitted(configuration: Configuration, space: SearchSpace): Configuration | undefined {
  const values = space.parameters.map(
    (parameter) => [parameter.name, configuration[parameter.name] ?? parameter.frozen] as const,
  );
  if (space.parameters.some((parameter, i) => valueProblem(parameter, values[i]![1]) !== undefined)) return undefined;
  return Object.fromEntries(values) as Configuration;
}

function startOf(parameter: Parameter, masses: (parameter: Masses) => number[]): ParameterValue {
  if (parameter.frozen !== undefined) return parameter.frozen;
  switch (parameter.kind) {
    case 'continuous':
      return parameter.scale === 'log'
        ? Math.sqrt(parameter.low * parameter.high)
        : (parameter.low + parameter.high) / 2;
    case 'categorical':
      return parameter.choices[0]!;
    case 'masses':
      return masses(parameter);
  }
}

function favouring(bucket: number, buckets: number): number[] {
  if (buckets === 1) return [1];
  return Array.from({ length: buckets }, (_, k) => (k === bucket ? favour : (1 - favour) / (buckets - 1)));
}
