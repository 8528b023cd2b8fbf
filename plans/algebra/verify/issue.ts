import type { ExpressionFault } from '../expression-check.js';

/** What can be wrong with a draft. */
export type PlanFault =
  | ExpressionFault
  | 'malformed'
  | 'too-large'
  | 'unknown-operator'
  | 'unknown-relation'
  | 'unknown-task'
  | 'dangling-input'
  | 'cycle'
  | 'unused-operator'
  | 'duplicate-name'
  | 'bad-expression'
  | 'bad-parameter'
  | 'output-schema'
  | 'cardinality'
  | 'ungrounded-task';

/** One thing that is wrong with a draft: what, where, and a way out. */
export interface PlanIssue {
  readonly fault: PlanFault;
  /** Id of the operator, and the field where one is to blame: `n3.predicate`. Empty for the whole plan. */
  readonly at: string;
  readonly message: string;
  readonly hint: string;
}

export type Reporter = (fault: PlanFault, field: string, message: string, hint: string) => void;

/** `n3.predicate: there is no attribute 'Ans' here. Did you mean "Answer"?` */
export function issueText({ at, message, hint }: PlanIssue): string {
  return `${at === '' ? 'plan' : at}: ${message}. ${hint}`.trim();
}
