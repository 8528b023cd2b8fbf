import { parseArgs } from 'node:util';
import { FermataError } from '../../plans/protocol/errors.js';

export interface Flags {
  readonly scenario: string;
  /** Rows of the scenario's table; absent: as many as the data has. */
  readonly scale?: number;
  /** Ids of queries, names of systems; empty: all. */
  readonly queries: readonly string[];
  readonly systems: readonly string[];
  /** The systems of others and further presets are left out, unless they are named. */
  readonly quick: boolean;
  readonly repeat: number;
  readonly timeScale: number;
  readonly limitSeconds: number;
}

/** @throws FermataError BadArgument */
export function readFlags(args: readonly string[]): Flags {
  const { values } = parseArgs({
    args: [...args],
    options: {
      scenario: { type: 'string', default: 'movie' },
      scale: { type: 'string' },
      queries: { type: 'string', default: '' },
      systems: { type: 'string', default: '' },
      quick: { type: 'boolean', default: false },
      repeat: { type: 'string', default: '1' },
      'time-scale': { type: 'string', default: '0.05' },
      limit: { type: 'string', default: '300' },
    },
  });
  const number = (name: string, text: string, least: number): number => {
    const value = Number(text);
    if (text.trim() !== '' && Number.isFinite(value) && value >= least) return value;
    throw new FermataError('BadArgument', `--${name} ${text}: a number of at least ${least} is needed`);
  };
  const list = (text: string): readonly string[] => text.split(',').filter((part) => part !== '');
  return {
    scenario: values.scenario,
    ...(values.scale === undefined ? {} : { scale: Math.floor(number('scale', values.scale, 1)) }),
    queries: list(values.queries),
    systems: list(values.systems),
    quick: values.quick,
    repeat: Math.floor(number('repeat', values.repeat, 1)),
    timeScale: number('time-scale', values['time-scale'], 0),
    limitSeconds: number('limit', values.limit, 1),
  };
}
