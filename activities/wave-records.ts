/** Records of what became of a call in one wave. */
import { parseJson } from '../plans/protocol/json.js';
import { FermataError } from '../plans/protocol/errors.js';
import type { ObjectStore } from './ports.js';

/** A record by its name; undefined until it is written. Throws `BadData` for a damaged one. */
export async function readRecord<T extends { readonly v: 1 }>(
  store: ObjectStore,
  name: string,
): Promise<T | undefined> {
  const bytes = await store.getNamed(name);
  if (bytes === undefined) return undefined;
  const parsed = parseJson(new TextDecoder().decode(bytes));
  const value = parsed.ok ? (parsed.value as unknown as T | null) : null;
  if (value?.v !== 1)
    throw new FermataError('BadData', `the record ${name} is damaged`, { hint: 'start the query again' });
  return value;
}
