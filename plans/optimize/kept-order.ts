/** Which of the plans that are kept for one question comes first. */
import type { PlanMarks, SavedPlan } from '../protocol/saved-plan.js';
import { changedCondition } from './conditions.js';

/** Pinned ones first, the latest first; those that were rolled back are left out. */
export function inOrder(plans: readonly SavedPlan[], marks: PlanMarks): readonly SavedPlan[] {
  const pinnedAt = ({ id }: SavedPlan): number => {
    const found = marks.get(id);
    return found?.mark === 'pinned' ? found.at : Number.NEGATIVE_INFINITY;
  };
  return plans
    .filter(({ id }) => marks.get(id)?.mark !== 'retired')
    .sort((a, b) => compare(pinnedAt(b), pinnedAt(a)) || b.savedAt - a.savedAt || (a.id < b.id ? -1 : 1));
}

/** Infinities are equal, which their difference does not say. */
function compare(a: number, b: number): number {
  return a === b ? 0 : a < b ? -1 : 1;
}

/** The plan that answers in the place of another once that is rolled back: the latest before it for the same question. */
export function planBefore(
  { id, savedAt, plan, conditions }: SavedPlan,
  all: readonly SavedPlan[],
  marks: PlanMarks,
): SavedPlan | undefined {
  return inOrder(all, marks).find(
    (other) =>
      other.id !== id &&
      other.savedAt <= savedAt &&
      other.plan.signature === plan.signature &&
      conditions !== undefined &&
      other.conditions !== undefined &&
      changedCondition(other.conditions, conditions) === undefined,
  );
}
