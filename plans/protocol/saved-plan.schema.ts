import { readRoutedPlan } from '../physical/routed/plan.schema.js';
import { FermataError } from './errors.js';
import { isProfile } from '../drift/profile.js';
import { parseJson } from './json.js';
import type { SavedPlan } from './saved-plan.js';

/** A kept plan from its file in the store. Throws `BadPlan` for one that is damaged, or that a newer version wrote. */
export function readSavedPlan(bytes: Uint8Array, name: string): SavedPlan {
  const parsed = parseJson(new TextDecoder().decode(bytes));
  const saved = parsed.ok ? (parsed.value as unknown as SavedPlan | null) : null;
  if (saved?.v !== 1) {
    throw new FermataError('BadPlan', `${name} in the store is no saved plan`, { hint: 'search for it again' });
  }
  const { profile, ...rest } = saved;
  return {
    ...rest,
    plan: readRoutedPlan(saved.plan, name),
    // One that this version cannot read says nothing; the plan stands.
    ...(isProfile(profile) ? { profile } : {}),
  };
}
