/** The plans that searches have left in a store. */
import { createHash } from 'node:crypto';
import type { ObjectStore } from '../activities/ports.js';
import { FermataError } from '../plans/protocol/errors.js';
import { planBefore } from '../plans/optimize/kept-order.js';
import { parseJson } from '../plans/protocol/json.js';
import { planFile, readPlanFile } from '../plans/protocol/plan-file.schema.js';
import { readSavedPlan } from '../plans/protocol/saved-plan.schema.js';
import {
  isPlanId,
  type PlanMark,
  type PlanMarks,
  planObjects,
  type PlanUse,
  type SavedPlan,
} from '../plans/protocol/saved-plan.js';
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
  await store.removeNamed(planObjects.mark(known));
  await store.removeNamed(planObjects.one(known));
}

/** Of all plans that have one. */
export async function planMarks(store: ObjectStore): Promise<PlanMarks> {
  const marks = new Map<string, PlanMark>();
  for await (const name of store.listNamed(planObjects.marks)) {
    const mark = await readJson<PlanMark>(store.getNamed(name));
    if (mark !== undefined) marks.set(name.slice(planObjects.marks.length).replace(/\.json$/, ''), mark);
  }
  return marks;
}

/** Replaces the mark of a plan; undefined takes it away. Throws as `savedPlan`. */
export async function markPlan(
  store: ObjectStore,
  id: string,
  mark: PlanMark['mark'] | undefined,
  now = Date.now(),
): Promise<void> {
  const { id: known } = await savedPlan(store, id);
  if (mark === undefined) return store.removeNamed(planObjects.mark(known));
  const value: PlanMark = { v: 1, mark, at: now };
  await store.putNamed(planObjects.mark(known), new TextEncoder().encode(JSON.stringify(value)));
}

/**
 * Takes a plan out of use and returns the one that answers its question again. Throws as `savedPlan`, and `BadArgument` where
 * there is none before it.
 */
export async function rollBack(store: ObjectStore, id: string): Promise<SavedPlan> {
  const plan = await savedPlan(store, id);
  const before = planBefore(plan, await listPlans(store), await planMarks(store));
  if (before === undefined) {
    throw new FermataError('BadArgument', `there is no plan before ${id} for its question, weights and models`, {
      hint: `fermata plans forget ${id} leaves the question to the default model`,
    });
  }
  await markPlan(store, id, 'retired');
  return before;
}

async function read(store: ObjectStore, name: string): Promise<SavedPlan | undefined> {
  const bytes = await store.getNamed(name);
  return bytes === undefined ? undefined : readSavedPlan(bytes, name);
}

/** A plan with all that is known of it, as the text of a file that `importPlan` reads. Throws as `savedPlan`. */
export async function exportPlan(store: ObjectStore, id: string): Promise<string> {
  return planFile(await savedPlan(store, id), sha256);
}

/**
 * Keeps a plan from the text of a file, as the latest one for its question, and returns it. Throws `BadPlan` for a file that is
 * none, that a newer version wrote, or that was changed since.
 */
export async function importPlan(store: ObjectStore, text: string, file: string, now = Date.now()): Promise<SavedPlan> {
  const parsed = parseJson(text);
  if (!parsed.ok) {
    throw new FermataError('BadPlan', `${file} cannot be imported: it is not JSON: ${parsed.error}`, {
      where: { file },
    });
  }
  const saved: SavedPlan = { ...readPlanFile(parsed.value, file, sha256), savedAt: now };
  await store.putNamed(planObjects.one(saved.id), new TextEncoder().encode(JSON.stringify(saved)));
  if ((await planMarks(store)).get(saved.id)?.mark === 'retired') await markPlan(store, saved.id, undefined);
  return saved;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
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
