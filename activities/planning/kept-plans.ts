/** Plans that are kept in the store, as queries take them by themselves. */
import { changedCondition, type PlanConditions } from '../../plans/optimize/conditions.js';
import type { TriedSetting } from '../../plans/optimize/settings.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { planObjects, type SavedPlan } from '../../plans/protocol/saved-plan.js';
import { readSavedPlan } from '../../plans/protocol/saved-plan.schema.js';
import type { ObjectStore } from '../ports.js';

export interface FoundPlan {
  readonly plan?: SavedPlan;
  /** Why the latest plan for the question was not taken. */
  readonly missed?: string;
  /** What the latest search for the question found best, under whichever conditions. */
  readonly settings?: readonly TriedSetting[];
}

/** The latest plan that was made for a question under the same conditions. One that is damaged counts as none. */
export async function findKept(store: ObjectStore, signature: string, now: PlanConditions): Promise<FoundPlan> {
  const kept: SavedPlan[] = [];
  for await (const name of store.listNamed(planObjects.all)) {
    const plan = await readKept(store, name);
    if (plan?.plan.signature === signature) kept.push(plan);
  }
  kept.sort((a, b) => b.savedAt - a.savedAt || (a.id < b.id ? -1 : 1));
  const settings = kept.find((plan) => plan.settings !== undefined)?.settings;
  const begun = settings === undefined ? {} : { settings };
  let missed: string | undefined;
  for (const plan of kept) {
    const why = plan.conditions === undefined ? 'an older version made it' : changedCondition(plan.conditions, now);
    if (why === undefined) return { plan, ...begun };
    missed ??= `${plan.id} does not count: ${why}`;
  }
  return missed === undefined ? begun : { missed, ...begun };
}

async function readKept(store: ObjectStore, name: string): Promise<SavedPlan | undefined> {
  const bytes = await store.getNamed(name);
  try {
    return bytes === undefined ? undefined : readSavedPlan(bytes, name);
  } catch (error) {
    if (FermataError.is(error, 'BadPlan')) return undefined;
    throw error;
  }
}
