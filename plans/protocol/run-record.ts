/** What is known of a run once it is planned, for whoever looks at it later: the object `runs/<id>/record.json`. */
import type { ExplainedPlan } from '../explain/placement.js';
import type { Estimate } from './run.js';

export interface RunRecord {
  readonly v: 1;
  /** Hash of the `RunRequest`. */
  readonly request: string;
  /** Each join of the query with the semantic operators over it. */
  readonly joins: readonly ExplainedPlan[];
  /** Absent: no limit asked for one. */
  readonly estimate?: Estimate;
}
