import { stat } from 'node:fs/promises';
import { basename, extname, resolve } from 'node:path';
import type { ObjectStore } from '../activities/ports.js';
import { FermataError } from '../plans/protocol/errors.js';
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

/** The table name that a bare path stands for: the file's stem. Throws `FileNotFound`. */
export async function tableNameOf(cwd: string, path: string): Promise<string> {
  const file = path.split('#')[0] ?? path;
  if ((await stat(resolve(cwd, file)).catch(() => undefined)) === undefined) {
    throw new FermataError('FileNotFound', `no such file: ${file}`, { where: { file } });
  }
  return path.includes('#') ? path.slice(path.indexOf('#') + 1) : basename(file, extname(file));
}
