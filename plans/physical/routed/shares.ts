import type { Range } from '../../protocol/run.js';
import type { RoutedSchedule } from '../../protocol/strategy.js';
import { asksDefault, passesOn } from './verdict.js';

/**
 * Share of the inputs that each implementation is asked about, then safe mode, before any is: its bucket, and at most what those
 * before it can leave. What confidences will be is not known, so that nothing but the bucket is expected.
 */
export function expectedShares(routed: RoutedSchedule, masses: readonly number[]): readonly Range[] {
  let reaching = 0;
  const parts = masses.map((mass, at): Range => {
    const left = at > 0 && passesOn(routed, at - 1) ? reaching : 0;
    reaching = Math.min(1, left + mass);
    return { low: mass, expected: mass, high: reaching };
  });
  const own = masses.filter((_, at) => asksDefault(routed, at)).reduce((sum, mass) => sum + mass, 0);
  const mayFail = masses.some((_, at) => !asksDefault(routed, at));
  return [...parts, { low: 0, expected: 0, high: mayFail ? Math.max(0, 1 - own) : 0 }];
}
