/** The plans that searches have left in a store. */
import type { ObjectStore } from '../activities/ports.js';
import { FermataError } from '../plans/protocol/errors.js';
import { readSavedPlan } from '../plans/protocol/saved-plan.schema.js';
import { isPlanId, planObjects, type PlanUse, type SavedPlan } from '../plans/protocol/saved-plan.js';
import { readJson } from './controlled.js';

/** All of them, the latest first. Throws `BadPlan` for one that is damaged. */
export async function listPlans(store: ObjectStore): Promise<readonly SavedPlan[]> {
  const found: SavedPlan[] = [];
  for await (const name of store.listNamed(planObjects.all)) {
    const plan = await read(store, name);
    if (plan !== undefined) found.push(plan);
  }
  return found.sort((a, b) => b.savedAt - a.savedAt || (a.id < b.id ? -1 : 1));
}

/** Throws `BadArgument` where there is none of that id, `BadPlan` where it is damaged. */
export async function savedPlan(store: ObjectStore, id: string): Promise<SavedPlan> {
  const found = isPlanId(id) ? await read(store, planObjects.one(id)) : undefined;
  if (found !== undefined) return found;
  throw new FermataError('BadArgument', `there is no plan ${id}`, {
    hint: 'fermata plans list shows those that are kept',
  });
}

/** Throws as `savedPlan`. */
export async function forgetPlan(store: ObjectStore, id: string): Promise<void> {
  const { id: known } = await savedPlan(store, id);
  await store.removeNamed(planObjects.uses(known));
  await store.removeNamed(planObjects.one(known));
}

async function read(store: ObjectStore, name: string): Promise<SavedPlan | undefined> {
  const bytes = await store.getNamed(name);
  return bytes === undefined ? undefined : readSavedPlan(bytes, name);
}

/** How often queries have taken a plan by themselves, and when last (milliseconds since the epoch). */
export interface PlanUses {
  readonly uses: number;
  readonly lastUsedAt?: number;
}

export async function planUses(store: ObjectStore, id: string): Promise<PlanUses> {
  let [uses, last] = [0, 0];
  for await (const name of store.listNamed(planObjects.uses(id))) {
    uses += 1;
    last = Math.max(last, (await readJson<PlanUse>(store.getNamed(name)))?.at ?? 0);
  }
  return { uses, ...(last === 0 ? {} : { lastUsedAt: last }) };
}
