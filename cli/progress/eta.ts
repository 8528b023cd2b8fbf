import type { OperatorProgress, RunProgress } from '../../plans/protocol/run.js';

/** Span of the measurement: long enough to smooth single calls, short enough to follow a change of pace. */
const windowMs = 60_000;
/** No forecast from less than this. */
const leastMs = 3_000;
const leastCalls = 3;

interface Sample {
  readonly at: number;
  /** Answers that took a call; cached ones come in bursts and say nothing about pace. */
  readonly bought: number;
}

/** Seconds left for each operator, from the pace measured in the last minute. */
export interface EtaMeter {
  /** Takes a record into account. */
  add(progress: RunProgress): void;
  /** Undefined while too little has been measured. Inputs may still grow, so this is the time for what is known now. */
  secondsLeft(operator: OperatorProgress): number | undefined;
}

function decided(operator: OperatorProgress): number {
  return operator.answered + operator.failed;
}

export function etaMeter(): EtaMeter {
  const samples = new Map<string, Sample[]>();
  return {
    add(progress) {
      if (progress.phase === 'paused') {
        samples.clear();
        return;
      }
      for (const operator of progress.operators) {
        const known = samples.get(operator.id) ?? [];
        known.push({ at: progress.updatedAt, bought: Math.max(0, decided(operator) - operator.cached) });
        // One sample older than the window stays, so that a slow operator keeps a measured pace.
        while (known.length > 2 && (known[1]?.at ?? 0) <= progress.updatedAt - windowMs) known.shift();
        samples.set(operator.id, known);
      }
    },
    secondsLeft(operator) {
      const left = operator.inputs - decided(operator);
      if (left <= 0) return 0;
      const known = samples.get(operator.id) ?? [];
      const first = known[0];
      const last = known.at(-1);
      if (!first || !last) return undefined;
      const ms = last.at - first.at;
      const bought = last.bought - first.bought;
      if (ms < leastMs || bought < leastCalls) return undefined;
      return (left * ms) / bought / 1000;
    },
  };
}
