/** A user's file or folder as content-addressed objects, so that a run always sees the data it started with. */
import { open, readdir, stat } from 'node:fs/promises';
import { basename, extname, join, resolve } from 'node:path';
import type { ObjectStore } from '../activities/ports.js';
import { FermataError } from '../plans/protocol/errors.js';
import type { DataFormat, TableInput } from '../plans/protocol/run.js';
import { storeFiles } from '../workers/runtime/objects/known-files.js';
import type { TableOptions } from './api.js';

const byExtension: Readonly<Record<string, DataFormat>> = {
  '.csv': 'csv',
  '.tsv': 'tsv',
  '.json': 'json',
  '.jsonl': 'json',
  '.ndjson': 'json',
  '.parquet': 'parquet',
  '.arrow': 'arrow',
  '.arrows': 'arrow',
  '.feather': 'arrow',
  '.ipc': 'arrow',
  '.duckdb': 'duckdb',
  '.db': 'duckdb',
  '.ddb': 'duckdb',
};

/** What the first bytes say, for files whose name says nothing. */
const byMagic: readonly { readonly magic: string; readonly at: number; readonly format: DataFormat }[] = [
  { magic: 'PAR1', at: 0, format: 'parquet' },
  { magic: 'ARROW1', at: 0, format: 'arrow' },
  { magic: 'DUCK', at: 8, format: 'duckdb' },
];

/** Stores the file or folder at `path`, unless it is there unchanged, and describes it. Throws `FileNotFound` or `BadData`. */
export async function snapshot(
  store: ObjectStore,
  cwd: string,
  name: string,
  path: string,
  options: TableOptions,
): Promise<TableInput> {
  const [file, inner] = splitInner(path);
  const full = resolve(cwd, file);
  const info = await stat(full).catch(() => undefined);
  if (info === undefined) {
    throw new FermataError('FileNotFound', `no such file: ${file}`, {
      where: { table: name, file },
      hint: 'paths are relative to the current folder',
    });
  }
  const common = {
    name,
    path: full,
    ...(inner === undefined ? {} : { inner }),
    ...(options.image === undefined ? {} : { image: options.image }),
    ...(options.audio === undefined ? {} : { audio: options.audio }),
  };
  if (info.isDirectory()) return { ...common, format: 'folder', object: await storeFolder(store, full) };
  const format = await formatOf(full);
  if (format === 'duckdb' && (await stat(`${full}.wal`).catch(() => undefined)) !== undefined) {
    throw new FermataError('BadData', `${file} has writes that are not in it yet (${basename(full)}.wal)`, {
      where: { table: name, file },
      hint: 'close the program that writes it, or run CHECKPOINT in it',
    });
  }
  const [stored] = await storeFiles(store, full, [full]);
  if (stored === undefined) throw new FermataError('Internal', `${file} was not stored`);
  return { ...common, format, object: stored.hash };
}

/** `file.duckdb#table` names a table inside a DuckDB file. */
function splitInner(path: string): readonly [string, string | undefined] {
  const at = path.lastIndexOf('#');
  return at < 0 ? [path, undefined] : [path.slice(0, at), path.slice(at + 1)];
}

async function formatOf(file: string): Promise<DataFormat> {
  const named = byExtension[extname(file).toLowerCase()];
  if (named !== undefined) return named;
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(16), 0, 16, 0);
    const known = byMagic.find(({ magic, at }) => buffer.subarray(at, at + magic.length).toString('latin1') === magic);
    if (known !== undefined) return known.format;
  } finally {
    await handle.close();
  }
  throw new FermataError('BadData', `${basename(file)}: the format is not known by its name or first bytes`, {
    where: { file },
    hint: `use one of ${Object.keys(byExtension).join(' ')}`,
  });
}

/** Every file of the folder as an object, and a manifest that lists them by name. */
async function storeFolder(store: ObjectStore, folder: string): Promise<string> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  const stored = await storeFiles(store, folder, files);
  const rows = files.map((path, at) => ({
    path,
    name: basename(path),
    object: stored[at]?.hash,
    bytes: stored[at]?.bytes,
  }));
  return store.put(new TextEncoder().encode(JSON.stringify({ v: 1, rows })));
}
