/** A logical plan that is run, and what is known of its parts while and after it runs. */
import type { PlanJson } from '../algebra/json.js';
import type { Apply } from '../algebra/operator.js';
import type { Input } from '../logical/instance.js';

/** What is run in the place of SQL. */
export interface LogicalRun {
  readonly plan: PlanJson;
  /** The relations that it scans, as it sees them. */
  readonly inputs: readonly Input[];
  /** Own name of each column that the plan calls otherwise, by relation and the plan's name. */
  readonly renamed?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/** The plan as it is run: equal parts shared, columns under their own names below. */
export interface RunningPlan {
  readonly plan: PlanJson;
  /** The table of each operator whose rows are stored, by its id in the plan. */
  readonly tables: Readonly<Record<string, string>>;
}

/** A task that code does in the place of a model. */
export type CodeCall = Pick<Apply, 'task' | 'bind' | 'params' | 'outputs' | 'cardinality'>;
