/** What becomes of an input after an implementation has answered. */
import type { RoutedSchedule } from '../../protocol/strategy.js';
import { type RoutedStep, stepBy } from './steps.js';

/** `next`: the next implementation is asked; `safe`: the default model; `open`: nobody has answered yet. */
export type Verdict = 'keep' | 'next' | 'safe' | 'open';

export interface Policy {
  /** Answers less sure are the next implementation's; 0 without one. */
  readonly threshold: number;
  /** Answers less sure are the default model's; 0 for that model itself, whose word is final. */
  readonly margin: number;
  /** What an error means, and an answer that the implementation refuses to give. */
  readonly failed: Verdict;
  readonly abstained: Verdict;
}

/** Code of the error by which a program says that it cannot tell. */
export const abstainedCode = 'abstained';

export function policyOf(routed: RoutedSchedule, step: RoutedStep): Policy {
  const { threshold } = stepBy(routed, step);
  const isDefault = asksDefault(routed, step);
  const hasNext = step !== 'safe' && step + 1 < routed.implementations.length;
  return {
    threshold: hasNext ? threshold : 0,
    margin: isDefault ? 0 : routed.margin,
    failed: isDefault ? 'keep' : 'safe',
    abstained: hasNext ? 'next' : 'safe',
  };
}

/** Whether a step asks the model that answers in safe mode. */
export function asksDefault(routed: RoutedSchedule, step: RoutedStep): boolean {
  const { model, program } = stepBy(routed, step);
  return program === undefined && model === routed.safe.model;
}

/** Whether an implementation may leave inputs to the next one. */
export function passesOn(routed: RoutedSchedule, step: RoutedStep): boolean {
  return policyOf(routed, step).threshold > 0 || stepBy(routed, step).program === true;
}

/** As much of an answer as its verdict hangs on. */
export interface Judged {
  readonly state: 'ok' | 'error' | 'undecided';
  readonly confidence?: number;
  readonly code?: string;
}

/** An answer without a confidence is sure. */
export function verdictOf(answer: Judged | undefined, { threshold, margin, failed, abstained }: Policy): Verdict {
  if (answer === undefined || answer.state === 'undecided') return 'open';
  if (answer.state === 'error') return answer.code === abstainedCode ? abstained : failed;
  const { confidence = 1 } = answer;
  if (confidence < margin) return 'safe';
  return confidence < threshold ? 'next' : 'keep';
}
