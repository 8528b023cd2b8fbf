/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import {
  addBreakSlopes,
  breakQuantile,
  cutpointsOfBreaks,
  softmaxCoordinates,
  softmaxMasses,
  stickBreaks,
  stickMasses,
} from './masses.js';
import type {
  Categorical,
  Configuration,
  Continuous,
  Masses,
  Parameter,
  ParameterValue,
  SearchSpace,
} from './space.js';

/**
 * A search space as numbers. *Coordinates* in [0, 1] are what acquisition functions are optimised over (a categorical
 * coordinate holds the index of its choice); *features*, as many, are what the surrogate sees: cutpoints instead of stick
 * breaks, since a router's quality is a sum over cutpoints, so equal steps of a cutpoint mean about the same anywhere.
 */
export interface Encoding {
  readonly dimensions: number;
  /** Number of choices of a categorical coordinate, 0 of a continuous one. */
  readonly choices: readonly number[];
  readonly categorical: Uint8Array;
  encode(configuration: Configuration): Float64Array;
  decode(coordinates: Float64Array): Configuration;
  features(coordinates: Float64Array): Float64Array;
  /** Slopes with respect to coordinates from slopes with respect to features. */
  pullBack(coordinates: Float64Array, featureSlopes: Float64Array): Float64Array;
  /** Coordinates of a point that is uniform in [0, 1)^d. */
  fromUniform(point: Float64Array): Float64Array;
}

interface Block {
  readonly parameter: Parameter;
  readonly offset: number;
  readonly width: number;
}

/** The encoding of the parameters that can vary; frozen ones and those with one possible value are filled in by `decode`. */
export function encodingOf(space: SearchSpace): Encoding {
  const blocks: Block[] = [];
  const fixed: Record<string, ParameterValue> = {};
  let dimensions = 0;
  for (const parameter of space.parameters) {
    const only = onlyValue(parameter);
    if (only !== undefined) {
      fixed[parameter.name] = only;
      continue;
    }
    const width = widthOf(parameter);
    blocks.push({ parameter, offset: dimensions, width });
    dimensions += width;
  }
  const choices = blocks.flatMap(({ parameter, width }) =>
    parameter.kind === 'categorical' ? [parameter.choices.length] : new Array<number>(width).fill(0),
  );
  const sticks = blocks.filter((block) => isStick(block.parameter));
  return {
    dimensions,
    choices,
    categorical: Uint8Array.from(choices, Number),
    encode(configuration) {
      const out = new Float64Array(dimensions);
      for (const { parameter, offset } of blocks)
        out.set(toCoordinates(parameter, configuration[parameter.name]), offset);
      return out;
    },
    decode(coordinates) {
      const values: Record<string, ParameterValue> = { ...fixed };
      for (const { parameter, offset, width } of blocks)
        values[parameter.name] = toValue(parameter, coordinates.subarray(offset, offset + width));
      return Object.fromEntries(space.parameters.map(({ name }) => [name, values[name]!]));
    },
    features(coordinates) {
      const out = coordinates.slice();
      for (const { offset, width } of sticks)
        cutpointsOfBreaks(coordinates.subarray(offset, offset + width), out.subarray(offset, offset + width));
      return out;
    },
    pullBack(coordinates, featureSlopes) {
      const out = featureSlopes.slice();
      for (const { offset, width } of sticks) {
        out.fill(0, offset, offset + width);
        const end = offset + width;
        addBreakSlopes(
          coordinates.subarray(offset, end),
          featureSlopes.subarray(offset, end),
          out.subarray(offset, end),
        );
      }
      return out;
    },
    fromUniform(point) {
      const out = point.slice();
      for (let i = 0; i < dimensions; i++)
        if (choices[i]!) out[i] = Math.min(choices[i]! - 1, Math.floor(point[i]! * choices[i]!));
      for (const { offset, width } of sticks)
        for (let k = 0; k < width; k++) out[offset + k] = breakQuantile(point[offset + k]!, width - k);
      return out;
    },
  };
}

function isStick(parameter: Parameter): parameter is Masses {
  return parameter.kind === 'masses' && parameter.coding !== 'softmax';
}

function onlyValue(parameter: Parameter): ParameterValue | undefined {
  if (parameter.frozen !== undefined) return parameter.frozen;
  if (parameter.kind === 'continuous') return parameter.low === parameter.high ? parameter.low : undefined;
  if (parameter.kind === 'categorical') return parameter.choices.length === 1 ? parameter.choices[0] : undefined;
  return parameter.buckets === 1 ? [1] : undefined;
}

function widthOf(parameter: Parameter): number {
  if (parameter.kind !== 'masses') return 1;
  return parameter.coding === 'softmax' ? parameter.buckets : parameter.buckets - 1;
}

function toCoordinates(parameter: Parameter, value: ParameterValue | undefined): readonly number[] {
  switch (parameter.kind) {
    case 'continuous':
      return [position(parameter, value as number)];
    case 'categorical':
      return [parameter.choices.indexOf(value as string)];
    case 'masses': {
      const masses = value as readonly number[];
      return parameter.coding === 'softmax' ? softmaxCoordinates(masses) : stickBreaks(masses);
    }
  }
}

function toValue(parameter: Parameter, coordinates: Float64Array): ParameterValue {
  switch (parameter.kind) {
    case 'continuous':
      return atPosition(parameter, coordinates[0]!);
    case 'categorical':
      return choiceAt(parameter, coordinates[0]!);
    case 'masses':
      return parameter.coding === 'softmax' ? softmaxMasses(coordinates) : stickMasses(coordinates);
  }
}

function position({ low, high, scale }: Continuous, value: number): number {
  const share =
    scale === 'log' ? Math.log(value / low) / Math.log(high / low) : value / (high - low) - low / (high - low);
  return Math.min(1, Math.max(0, share));
}

function atPosition({ low, high, scale }: Continuous, share: number): number {
  const value = scale === 'log' ? low * (high / low) ** share : low + (high - low) * share;
  return Math.min(high, Math.max(low, value));
}

function choiceAt({ choices }: Categorical, index: number): string {
  return choices[Math.min(choices.length - 1, Math.max(0, Math.round(index)))]!;
}
