/** Whether an input is still like the one that a plan was made for. */
import { meanDiscrepancy } from './mmd.js';
import { type DataProfile, leastProfiled } from './profile.js';
import { kolmogorovSmirnov, levelOf, stabilityIndex } from './two-sample.js';

/** How likely an input of the same distribution is taken for another one, at most. */
const falseAlarms = 0.01;
/** A change that is certain but smaller than this says nothing about a plan. */
const leastStability = 0.1;
const leastShare = 0.1;
const seed = 1;

export interface Shift {
  /** A feature by its name, or `router score`, `kind K` or `words`. */
  readonly what: string;
  readonly test: 'ks' | 'share' | 'mmd';
  /** Distance of distribution functions, difference of shares, or squared discrepancy of means. */
  readonly statistic: number;
  readonly p: number;
  /** Population stability index, of `ks`. */
  readonly stability?: number;
}

export interface Drift {
  /** Undefined where too few inputs were looked at to tell. */
  readonly drifted?: boolean;
  /** What has changed, the surest first. */
  readonly shifts: readonly Shift[];
}

/**
 * Half of the false alarms are left to the test of words, the others are shared out among features, router scores and kinds of
 * text (Bonferroni).
 */
export function driftBetween(then: DataProfile, now: DataProfile): Drift {
  if (Math.min(then.profiled, now.profiled) < leastProfiled) return { shifts: [] };
  const columns = [
    ...Object.keys(then.features).flatMap((name) => {
      const [old, fresh] = [then.features[name], now.features[name]];
      return old === undefined || fresh === undefined ? [] : [{ what: name, old, fresh }];
    }),
    { what: 'router score', old: then.scores, fresh: now.scores },
  ];
  const kinds = [...new Set([...Object.keys(then.kinds), ...Object.keys(now.kinds)])];
  const level = falseAlarms / 2 / (columns.length + kinds.length);
  const found: Shift[] = [];
  for (const { what, old, fresh } of columns) {
    const tested = kolmogorovSmirnov(old, fresh);
    const stability = stabilityIndex(old, fresh);
    if (tested.p < level && stability >= leastStability) found.push({ what, test: 'ks', ...tested, stability });
  }
  for (const kind of kinds) {
    // Of a value that is 0 or 1 the distance of distribution functions is the difference of shares.
    const statistic = Math.abs((then.kinds[kind] ?? 0) - (now.kinds[kind] ?? 0));
    const p = levelOf(statistic, then.profiled, now.profiled);
    if (p < level && statistic >= leastShare) found.push({ what: `kind ${kind}`, test: 'share', statistic, p });
  }
  const words = meanDiscrepancy(then.words, now.words, seed);
  if (words.p < falseAlarms / 2) found.push({ what: 'words', test: 'mmd', ...words });
  const shifts = found.sort((a, b) => a.p - b.p || b.statistic - a.statistic);
  return { drifted: shifts.length > 0, shifts };
}

/** In words: the surest three. */
export function describeShifts(shifts: readonly Shift[]): string {
  const said = shifts.slice(0, 3).map(({ what, statistic, stability }) => {
    if (stability !== undefined) return `${what} (PSI ${stability.toFixed(2)})`;
    return what === 'words' ? what : `${what} (${Math.round(100 * statistic)} % more or less)`;
  });
  const more = shifts.length - said.length;
  return `${said.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}
