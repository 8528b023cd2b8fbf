/** Plans that are kept in the store, as queries take them by themselves. */
import { changedCondition, type PlanConditions } from '../../plans/optimize/conditions.js';
import { inOrder } from '../../plans/optimize/kept-order.js';
import type { TriedSetting } from '../../plans/optimize/settings.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { parseJson } from '../../plans/protocol/json.js';
import { type PlanMark, type PlanMarks, planObjects, type SavedPlan } from '../../plans/protocol/saved-plan.js';
import { readSavedPlan } from '../../plans/protocol/saved-plan.schema.js';
import type { ObjectStore } from '../ports.js';

export interface FoundPlan {
  readonly plan?: SavedPlan;
  /** It answers whatever has changed since it was made; `changed`: which condition has. */
  readonly pinned?: { readonly changed?: string };
  /** Why the latest plan for the question was not taken. */
  readonly missed?: string;
  /** What the latest search for the question found best, under whichever conditions. */
  readonly settings?: readonly TriedSetting[];
}

/**
 * The plan that is pinned for a question, else the latest one that was made under the same conditions. One that is damaged counts
 * as none.
 */
export async function findKept(store: ObjectStore, signature: string, now: PlanConditions): Promise<FoundPlan> {
  const all: SavedPlan[] = [];
  for await (const name of store.listNamed(planObjects.all)) {
    const plan = await readKept(store, name);
    if (plan?.plan.signature === signature) all.push(plan);
  }
  const marks = await marksOf(store, all);
  const kept = inOrder(all, marks);
  const settings = kept.find((plan) => plan.settings !== undefined)?.settings;
  const begun = settings === undefined ? {} : { settings };
  let missed: string | undefined;
  for (const plan of kept) {
    const why = plan.conditions === undefined ? 'an older version made it' : changedCondition(plan.conditions, now);
    const pinned = marks.get(plan.id)?.mark === 'pinned';
    if (pinned) return { plan, pinned: why === undefined ? {} : { changed: why }, ...begun };
    if (why === undefined) return { plan, ...begun };
    missed ??= `${plan.id} does not count: ${why}`;
  }
  return missed === undefined ? begun : { missed, ...begun };
}

async function marksOf(store: ObjectStore, plans: readonly SavedPlan[]): Promise<PlanMarks> {
  const marks = new Map<string, PlanMark>();
  for (const { id } of plans) {
    const bytes = await store.getNamed(planObjects.mark(id));
    const parsed = bytes === undefined ? undefined : parseJson(new TextDecoder().decode(bytes));
    if (parsed?.ok === true) marks.set(id, parsed.value as unknown as PlanMark);
  }
  return marks;
}

/** Keeps a plan. A search that finds one again which was rolled back has measured it anew: the mark is gone. */
export async function keepPlan(store: ObjectStore, saved: SavedPlan): Promise<void> {
  await store.putNamed(planObjects.one(saved.id), new TextEncoder().encode(JSON.stringify(saved)));
  if ((await marksOf(store, [saved])).get(saved.id)?.mark === 'retired') {
    await store.removeNamed(planObjects.mark(saved.id));
  }
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
