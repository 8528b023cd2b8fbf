/* eslint-disable @typescript-eslint/no-non-null-assertion -- dense loops: every index is bounded by its loop */
import { logEvidence, ratioUpper } from './bounds/ratio-betting.js';
import type { RatioTest } from './bounds/ratio-betting.js';
import { precisionFrom } from './cuts.js';
import type { Cut, Cuts, Labelled } from './cuts.js';
import { stratumAt } from './strata.js';
import type { Stratum } from './strata.js';
import { keptShareOf } from './targets.js';
import type { Tests } from './targets.js';

interface Tally {
  readonly positives: number;
  readonly negatives: number;
  /** Sampling rate. */
  readonly rate: number;
}

type Evidence = Omit<RatioTest, 'ratio'>;

/**
 * Thresholds from a sample that is stratified by score, by betting against a ratio of missed to kept positives, or of false
 * to true ones. Candidates are the strata's edges, tested from the safest until the first failure. A stratum whose tuples
 * were all sampled is decided by the oracle: it cannot err on either side.
 */
export function stratifiedCuts(strata: readonly Stratum[], sample: Labelled, tests: Tests): Cuts {
  const tallies = tally(strata, sample);
  const reject = rejectCut(strata, tallies, tests);
  const accept = acceptCut(strata, tallies, tests);
  return { ...(reject ? { reject } : {}), ...(accept ? { accept } : {}) };
}

function tally(strata: readonly Stratum[], { scores, positive }: Labelled): Tally[] {
  const positives = strata.map(() => 0);
  const negatives = strata.map(() => 0);
  for (let i = 0; i < scores.length; i++) (positive[i]! ? positives : negatives)[stratumAt(strata, scores[i]!)]!++;
  return strata.map(({ size, taken }, h) => ({
    positives: positives[h]!,
    negatives: negatives[h]!,
    rate: taken / size,
  }));
}

function rejectCut(strata: readonly Stratum[], tallies: readonly Tally[], { recall, kept }: Tests): Cut | undefined {
  if (!recall) return undefined;
  const odds = (missed: number) => missed / (1 - missed);
  let best: number | undefined;
  for (let edge = 1; edge < strata.length; edge++) {
    const evidence = missedBelow(tallies, edge);
    if (!shown(evidence, odds(recall.missed), recall.alpha)) break;
    if (kept && !shown(evidence, odds(kept.missed), kept.alpha)) break;
    best = edge;
  }
  if (best === undefined) return undefined;
  return { threshold: strata[best]!.from, bound: 1 / (1 + upper(missedBelow(tallies, best), recall.alpha)) };
}

function acceptCut(strata: readonly Stratum[], tallies: readonly Tally[], tests: Tests): Cut | undefined {
  const { precision } = tests;
  if (!precision) return undefined;
  let best: number | undefined;
  for (let edge = strata.length - 1; edge >= 0; edge--) {
    if (!shown(falseFrom(tallies, edge), precision.ratio, precision.alpha)) break;
    best = edge;
  }
  if (best === undefined) return undefined;
  const ratio = upper(falseFrom(tallies, best), precision.alpha);
  return { threshold: strata[best]!.from, bound: precisionFrom(ratio, keptShareOf(tests)) };
}

/** Bad: positives of the strata below the edge. Good: those from the edge on. */
function missedBelow(tallies: readonly Tally[], edge: number): Evidence {
  const risky = (h: number) => h < edge && tallies[h]!.rate < 1;
  return {
    strata: tallies.map(({ positives, rate }, h) =>
      risky(h) ? { bad: positives, good: 0, rate } : { bad: 0, good: positives, rate },
    ),
    smallestRate: smallestRate(tallies, risky),
    separate: true,
  };
}

/** Bad: negatives of the strata from the edge on. Good: all positives. */
function falseFrom(tallies: readonly Tally[], edge: number): Evidence {
  const risky = (h: number) => h >= edge && tallies[h]!.rate < 1;
  return {
    strata: tallies.map(({ positives, negatives, rate }, h) => ({
      bad: risky(h) ? negatives : 0,
      good: positives,
      rate,
    })),
    smallestRate: smallestRate(tallies, risky),
    separate: false,
  };
}

function smallestRate(tallies: readonly Tally[], risky: (h: number) => boolean): number {
  return tallies.reduce((least, { rate }, h) => (risky(h) ? Math.min(least, rate) : least), 1);
}

/** No stratum at risk has a rate of 1: then nothing has to be shown. */
function shown(evidence: Evidence, ratio: number, alpha: number): boolean {
  return evidence.smallestRate === 1 || logEvidence({ ...evidence, ratio }) >= -Math.log(alpha);
}

function upper(evidence: Evidence, alpha: number): number {
  return evidence.smallestRate === 1 ? 0 : ratioUpper(evidence, alpha);
}
