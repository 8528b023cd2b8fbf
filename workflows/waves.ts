/** In what portions rows are asked when a query may stop early. */
import { firstRows, leastRows } from '../plans/cost/limited.js';
import type { PlannedQuery, Wave } from '../plans/protocol/activities.js';

/** Least rows of a wave through several filters: enough to keep a window of small partitions busy. */
const smallest = 64;

/**
 * With several filters a row must pass all of them before it counts, so rows are asked in growing waves. With one the window
 * of partitions stops early as well, but only after as many rows as are in flight; hence waves from a small one on, where
 * the plan says so (plans of older versions do not), else all rows at once.
 */
export function firstWave(plan: PlannedQuery, filters: number): Wave {
  if (plan.stopAfter === undefined) return { index: 0, from: 0, to: plan.rows };
  if (filters === 0) return { index: 0, from: 0, to: Math.min(plan.rows, plan.stopAfter) };
  if (filters === 1) {
    return {
      index: 0,
      from: 0,
      to: plan.growing === true ? Math.min(plan.rows, firstRows(plan.stopAfter)) : plan.rows,
    };
  }
  return { index: 0, from: 0, to: Math.min(plan.rows, Math.max(smallest, 4 * plan.stopAfter)) };
}

/** The wave after `wave`, sized by the share of rows that passed so far; undefined when no more is needed. */
export function nextWave(plan: PlannedQuery, wave: Wave, passed: number): Wave | undefined {
  if (plan.stopAfter === undefined || passed >= plan.stopAfter || wave.to >= plan.rows) return undefined;
  const share = Math.max(passed / wave.to, 0.01);
  const wanted = Math.ceil((1.2 * (plan.stopAfter - passed)) / share);
  const size = Math.min(Math.max(plan.growing === true ? leastRows : smallest, wanted), 2 * wave.to);
  return { index: wave.index + 1, from: wave.to, to: Math.min(plan.rows, wave.to + size) };
}
