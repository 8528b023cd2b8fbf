import type { ObjectStore } from '../activities/ports.js';
import type { TableInput } from '../plans/protocol/run.js';
import { fileTables } from '../plans/sql/tokens.js';
import type { RunOptions } from './api.js';
import { snapshot } from './snapshot.js';

/** Snapshots of all tables that a query names: those given, and the files that stand in its FROM. */
export async function snapshotTables(
  store: ObjectStore,
  cwd: string,
  sql: string,
  options: RunOptions,
): Promise<readonly TableInput[]> {
  const given = Object.entries(options.tables ?? {});
  const inputs: TableInput[] = [];
  for (const [name, table] of given) {
    const { path, ...media } = typeof table === 'string' ? { path: table } : table;
    inputs.push(await snapshot(store, cwd, name, path, media));
  }
  for (const { name } of fileTables(sql)) {
    if (inputs.some((input) => input.name === name)) continue;
    inputs.push(await snapshot(store, cwd, name, name, {}));
  }
  return inputs;
}
