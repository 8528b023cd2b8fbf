import { FermataError } from '../protocol/errors.js';

/** Value of one parameter: a number, the name of a choice, or the masses of a router's buckets (sum 1). */
export type ParameterValue = number | string | readonly number[];

/** One setting of every parameter that is not frozen; frozen ones may be left out or must have the frozen value. */
export type Configuration = Readonly<Record<string, ParameterValue>>;

export interface Continuous {
  readonly kind: 'continuous';
  readonly name: string;
  readonly low: number;
  readonly high: number;
  /** `log` needs `low > 0`. */
  readonly scale?: 'linear' | 'log';
  readonly frozen?: number;
}

export interface Categorical {
  readonly kind: 'categorical';
  readonly name: string;
  readonly choices: readonly string[];
  readonly frozen?: string;
}

/**
 * Shares of rows that go to each of a router's buckets, in order of difficulty (CADENZA §5.1). `stick` uses N − 1 numbers
 * and reaches every mass in [0, 1]; `softmax` is the paper's: N logits, here in [−3, 3].
 */
export interface Masses {
  readonly kind: 'masses';
  readonly name: string;
  readonly buckets: number;
  readonly coding?: 'stick' | 'softmax';
  readonly frozen?: readonly number[];
}

export type Parameter = Continuous | Categorical | Masses;

/** What the tuner may choose. Names are unique. */
export interface SearchSpace {
  readonly parameters: readonly Parameter[];
}

/**
 * Checks a space; the tuner calls it first.
 * @throws FermataError BadArgument naming the parameter: bounds reversed, not finite or not positive on a log scale; no
 *   choice; fewer than one bucket; a frozen value outside; two parameters of one name.
 */
export function checkSpace(space: SearchSpace): void {
  const seen = new Set<string>();
  for (const parameter of space.parameters) {
    if (seen.has(parameter.name)) fail(parameter, 'is declared twice');
    seen.add(parameter.name);
    const problem = declarationProblem(parameter);
    if (problem) fail(parameter, problem);
    if (parameter.frozen === undefined) continue;
    const misfit = valueProblem(parameter, parameter.frozen);
    if (misfit) fail(parameter, `is frozen at a value that ${misfit}`);
  }
}

/** Why `value` is not a value of `parameter`; undefined when it is one. */
export function valueProblem(parameter: Parameter, value: ParameterValue | undefined): string | undefined {
  if (value === undefined) return 'is missing';
  if (parameter.kind === 'continuous') {
    if (typeof value !== 'number' || !Number.isFinite(value)) return 'is not a finite number';
    const slack = 1e-9 * (parameter.high - parameter.low);
    if (value < parameter.low - slack || value > parameter.high + slack) return 'is outside the bounds';
    return undefined;
  }
  if (parameter.kind === 'categorical')
    return typeof value === 'string' && parameter.choices.includes(value) ? undefined : 'is not one of the choices';
  if (!Array.isArray(value) || value.length !== parameter.buckets)
    return `is not a list of ${parameter.buckets} masses`;
  const masses = value as readonly number[];
  const sum = masses.reduce((total, mass) => total + mass, 0);
  return masses.every((mass) => mass >= 0) && Math.abs(sum - 1) < 1e-6 ? undefined : 'does not sum to 1';
}

/**
 * Checks a configuration against a space; parameters that are frozen may be missing.
 * @throws FermataError BadArgument
 */
export function checkConfiguration(space: SearchSpace, configuration: Configuration): void {
  for (const parameter of space.parameters) {
    const value = configuration[parameter.name];
    if (value === undefined && parameter.frozen !== undefined) continue;
    const problem = valueProblem(parameter, value);
    if (problem) fail(parameter, problem);
  }
}

function declarationProblem(parameter: Parameter): string | undefined {
  switch (parameter.kind) {
    case 'continuous': {
      if (!Number.isFinite(parameter.low) || !Number.isFinite(parameter.high)) return 'has a bound that is not finite';
      if (parameter.low > parameter.high) return `has reversed bounds: ${parameter.low} > ${parameter.high}`;
      return parameter.scale === 'log' && parameter.low <= 0
        ? 'has a log scale but a bound that is not positive'
        : undefined;
    }
    case 'categorical':
      if (parameter.choices.length === 0) return 'has no choices';
      return new Set(parameter.choices).size < parameter.choices.length ? 'names a choice twice' : undefined;
    case 'masses':
      return Number.isInteger(parameter.buckets) && parameter.buckets >= 1
        ? undefined
        : 'needs a whole number of buckets ≥ 1';
  }
}

function fail(parameter: Parameter, problem: string): never {
  throw new FermataError('BadArgument', `tuning parameter "${parameter.name}" ${problem}`);
}
