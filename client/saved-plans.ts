/** The plans that searches have left in a store. */
import type { ObjectStore } from '../activities/ports.js';
import { readRoutedPlan } from '../plans/physical/routed/plan.schema.js';
import { FermataError } from '../plans/protocol/errors.js';
import { parseJson } from '../plans/protocol/json.js';
import { isPlanId, planObjects, type SavedPlan } from '../plans/protocol/saved-plan.js';

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
  await store.removeNamed(planObjects.one((await savedPlan(store, id)).id));
}

async function read(store: ObjectStore, name: string): Promise<SavedPlan | undefined> {
  const bytes = await store.getNamed(name);
  if (bytes === undefined) return undefined;
  const parsed = parseJson(new TextDecoder().decode(bytes));
  const saved = parsed.ok ? (parsed.value as unknown as SavedPlan | null) : null;
  if (saved?.v !== 1) {
    throw new FermataError('BadPlan', `${name} in the store is no saved plan`, { hint: 'search for it again' });
  }
  return { ...saved, plan: readRoutedPlan(saved.plan, name) };
}
