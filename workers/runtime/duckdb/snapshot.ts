import { dirname, resolve } from 'node:path';
import type { ObjectStore } from '../../../activities/ports.js';
import type { TableSnapshot } from '../../../activities/relation-port.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import type { TableInput } from '../../../plans/protocol/run.js';
import { quoteName } from '../../../plans/relation/names.js';
import { didYouMean } from '../../../plans/sql/nearest.js';
import type { PlanColumn } from '../../../plans/sql/plan.js';
import type { FetchMedia } from '../media/fetch-media.js';
import { rememberTable } from './known-tables.js';
import { storeMediaColumn } from './media-columns.js';
import { numbered, storeParquet } from './parquet.js';
import { fileColumn } from './readers/folder.js';
import { readers } from './readers/index.js';
import type { ReaderContext } from './readers/reader.js';
import type { DuckDbSession } from './session.js';
import { checkColumnNames } from './tables.js';

export interface SnapshotOptions {
  /** Folder that relative media paths start from; the data file's own by default. */
  readonly baseDir?: string;
  /** For URLs in media columns. */
  readonly fetchUrl: FetchMedia;
}

type Modality = 'image' | 'audio';

/**
 * Reads a user's file, checks it whole and stores it as Parquet with `__row`: the rows keep the order of the file. Media
 * columns become references to stored objects (`formatMediaRef`). What was read is remembered.
 */
export async function snapshotTable(
  session: DuckDbSession,
  store: ObjectStore,
  input: TableInput,
  options: SnapshotOptions,
): Promise<TableSnapshot> {
  const path = await store.localPath(input.object);
  const reader = readers[input.format];
  await session.lock([path, ...(reader.alsoReads?.(path) ?? [])]);
  const context: ReaderContext = { session, store, input, path };
  try {
    const query = await reader.read(context);
    const columns = await session.describe(query);
    checkColumnNames(columns, input.name);
    const media = mediaColumns(input, columns, await folderModality(session, input, query));
    const stored = media.size === 0 ? numbered(query) : await withMedia(context, query, columns, media, options);
    const described = columns.map((column) => describeColumn(column, media));
    const table = { name: input.name, ...(await storeParquet(session, store, stored)), columns: described };
    await rememberTable(store, input, table);
    return table;
  } catch (error) {
    if (FermataError.is(error)) throw error;
    throw await badData(context, error);
  }
}

function describeColumn({ name, type }: PlanColumn, media: ReadonlyMap<string, Modality>): PlanColumn {
  const modality = media.get(name);
  return modality === undefined ? { name, type } : { name, type: 'VARCHAR', modality };
}

/** Declared media columns by their true name. @throws FermataError `UnknownColumn` */
function mediaColumns(
  input: TableInput,
  columns: readonly PlanColumn[],
  folder: Modality | undefined,
): ReadonlyMap<string, Modality> {
  const declared: (readonly [string, Modality])[] = [
    ...(input.image ?? []).map((name) => [name, 'image'] as const),
    ...(input.audio ?? []).map((name) => [name, 'audio'] as const),
  ];
  const found = declared.map(([name, modality]) => {
    const names = columns.map((column) => column.name);
    const exact = names.find((candidate) => candidate === name);
    const column = exact ?? names.find((candidate) => candidate.toLowerCase() === name.toLowerCase());
    if (column !== undefined) return [column, modality] as const;
    throw new FermataError('UnknownColumn', `${input.name} has no column "${name}".`, {
      hint: `${didYouMean(name, names)} It has ${names.join(', ')}.`.trim(),
      where: { table: input.name, column: name },
    });
  });
  return new Map(folder === undefined ? found : [...found, [fileColumn, folder]]);
}

async function folderModality(session: DuckDbSession, input: TableInput, query: string): Promise<Modality | undefined> {
  if (input.format !== 'folder') return undefined;
  const [first] = await session.rows(`SELECT media_type FROM (${query}) LIMIT 1`);
  return String(first?.['media_type'] ?? '').startsWith('audio/') ? 'audio' : 'image';
}

/** The rows with references in place of paths, URLs and BLOBs. */
async function withMedia(
  { session, store, input }: ReaderContext,
  query: string,
  columns: readonly PlanColumn[],
  media: ReadonlyMap<string, Modality>,
  options: SnapshotOptions,
): Promise<string> {
  // read once: a BLOB is hashed here and looked up again below
  await session.run(`CREATE TABLE __raw AS ${numbered(query)}`);
  const replaced: string[] = [];
  const baseDir = options.baseDir ?? dirname(resolve(input.path));
  for (const column of columns) {
    const modality = media.get(column.name);
    if (modality === undefined) continue;
    const source = { store, modality, baseDir, fetchUrl: options.fetchUrl, table: input.name };
    replaced.push(`${await storeMediaColumn(session, '__raw', column, source)} AS ${quoteName(column.name)}`);
  }
  return `SELECT * REPLACE (${replaced.join(', ')}) FROM __raw AS t ORDER BY __row`;
}

async function badData(context: ReaderContext, error: unknown): Promise<unknown> {
  const { input, path } = context;
  const message = (error as Error).message;
  const fault = await readers[input.format].explain?.(context, message);
  if (fault === undefined) return error;
  const line = fault.line === undefined ? '' : `, line ${String(fault.line)}`;
  return new FermataError('BadData', `${input.path}${line}: ${fault.problem.replaceAll(path, input.path)}`, {
    ...(fault.hint === undefined ? {} : { hint: fault.hint }),
    where: { file: input.path, table: input.name, ...(fault.line === undefined ? {} : { line: fault.line }) },
    cause: error,
  });
}
