import type { NativeConnection } from '@temporalio/worker';
import { searchAttributes } from '../workflows/search-attributes.js';

/** `temporal.api.enums.v1.IndexedValueType`. */
const indexedValueTypes = { Text: 1, Keyword: 2, Int: 3, Double: 4 } as const;

/**
 * Adds what the namespace lacks. Without it every workflow task that sets an attribute fails and is tried forever, so that
 * the worker does not start before it is done.
 */
export async function registerSearchAttributes(connection: NativeConnection, namespace: string): Promise<void> {
  const known = await connection.operatorService.listSearchAttributes({ namespace });
  const missing = Object.entries(searchAttributes).filter(([name]) => !(name in known.customAttributes));
  if (missing.length === 0) return;
  await connection.operatorService.addSearchAttributes({
    namespace,
    searchAttributes: Object.fromEntries(missing.map(([name, type]) => [name, indexedValueTypes[type]])),
  });
}
