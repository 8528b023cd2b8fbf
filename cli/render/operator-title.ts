import type { OperatorProgress } from '../../plans/protocol/run.js';

/** An operator as lists name it; a step of a strategy says which: `filter·proxy`. */
export function operatorTitle({ operator, step }: OperatorProgress): string {
  return step === undefined ? operator : `${operator}·${step}`;
}
