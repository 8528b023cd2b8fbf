/** How well the demo's answers agree with the labels, beside answers that need no model. Pure. */
import { ratios, type Retrieval } from '../../plans/evaluation/retrieval.js';
import type { Complaint } from './truth.js';

/** One row of the demo's result. */
export interface Reported {
  readonly id: string;
  /** Absent: the call failed. */
  readonly component?: string;
}

/** Scores a set of ids against the complaints whose owner ticked "crash". */
export function crashScore(found: ReadonlySet<string>, complaints: readonly Complaint[]): Retrieval {
  const hits = complaints.filter((complaint) => complaint.crash && found.has(complaint.id)).length;
  const named = complaints.filter((complaint) => found.has(complaint.id)).length;
  const real = complaints.filter((complaint) => complaint.crash).length;
  return ratios(hits, named, real);
}

/** What somebody would write without a model: words that crash reports use. */
const crashWords =
  /\b(crash(ed|es|ing)?|accident|collision|collided?|colliding|struck|hit|wreck(ed)?|rear[- ]ended|totall?ed)\b/i;

/** Ids that the keyword rule finds. */
export function keywordRule(complaints: readonly Complaint[]): ReadonlySet<string> {
  return new Set(complaints.filter((complaint) => crashWords.test(complaint.summary)).map((complaint) => complaint.id));
}

export interface Accuracy {
  /** Rows compared. */
  readonly rows: number;
  readonly correct: number;
  /** Rows that the most frequent component among them would get right. */
  readonly majority: number;
}

/** Agreement of the named components with the labels, over the rows that have both. */
export function componentAccuracy(reported: readonly Reported[], complaints: readonly Complaint[]): Accuracy {
  const byId = new Map(complaints.map((complaint) => [complaint.id, complaint.component]));
  const pairs = reported.flatMap((row) => {
    const real = byId.get(row.id);
    return real === undefined || row.component === undefined ? [] : [{ real, named: row.component }];
  });
  const counts = new Map<string, number>();
  for (const { real } of pairs) counts.set(real, (counts.get(real) ?? 0) + 1);
  return {
    rows: pairs.length,
    correct: pairs.filter(({ real, named }) => real === named).length,
    majority: Math.max(0, ...counts.values()),
  };
}
