/** What a plan must know of its inputs, read on this machine: no server is needed, and no image or clip is fetched. */
import { join } from 'node:path';
import type { RunOptions, TableOptions } from '../../client/api.js';
import { snapshot } from '../../client/snapshot.js';
import type { Input } from '../../plans/logical/instance.js';
import { FermataError } from '../../plans/protocol/errors.js';
import { quoteName } from '../../plans/relation/names.js';
import type { TableSnapshot } from '../../plans/relation/snapshot.js';
import { classOf } from '../../plans/relation/types.js';
import { didYouMean } from '../../plans/sql/nearest.js';
import type { Settings } from '../../workers/config/settings.js';
import { createRelations } from '../../workers/runtime/duckdb/relations.js';
import { openObjectStore } from '../../workers/runtime/objects/open.js';

export type Tables = NonNullable<RunOptions['tables']>;

type Relations = ReturnType<typeof createRelations>;

/**
 * Columns of each table, and the first column that tells its rows apart. Throws as `snapshotTable` does, and `UnknownColumn`
 * for a media column that is not there.
 */
export async function describeInputs(settings: Settings, cwd: string, tables: Tables): Promise<readonly Input[]> {
  const store = await openObjectStore(settings.store);
  const relations = createRelations({ store, tempDir: join(settings.home, 'tmp'), memoryLimit: '256MB' });
  const inputs: Input[] = [];
  for (const [name, table] of Object.entries(tables)) {
    const { path, ...media } = typeof table === 'string' ? { path: table } : table;
    const found = await relations.snapshotTable(await snapshot(store, cwd, name, path, {}));
    inputs.push({ name, schema: schemaOf(found, media), key: await keyOf(found, relations) });
  }
  return inputs;
}

function schemaOf({ name: table, columns }: TableSnapshot, { image = [], audio = [] }: TableOptions): Input['schema'] {
  const names = columns.map(({ name }) => name);
  for (const name of [...image, ...audio]) {
    if (names.includes(name)) continue;
    throw new FermataError('UnknownColumn', `${table} has no column "${name}".`, {
      where: { table, column: name },
      hint: `${didYouMean(name, names)} It has ${names.join(', ')}.`.trim(),
    });
  }
  return columns.map(({ name, type, modality }) => {
    if (modality === 'image' || image.includes(name)) return { name, type: 'Image' };
    return modality === 'audio' || audio.includes(name) ? { name, type: 'Audio' } : { name, type };
  });
}

/** Columns that are looked at; a table of many is not searched through. */
const mostKeys = 20;

const integer = /^(?:U?(?:TINY|SMALL|BIG|HUGE)INT|U?INTEGER|UUID)$/;

/** Whole numbers before texts; a measurement that happens to be unique is no key. */
async function keyOf(table: TableSnapshot, relations: Relations): Promise<readonly string[]> {
  const plain = table.columns.filter(({ modality }) => modality === undefined);
  const texts = plain.filter(({ type }) => classOf(type) === 'text' && !integer.test(type));
  for (const { name } of [...plain.filter(({ type }) => integer.test(type)), ...texts].slice(0, mostKeys)) {
    const repeats = `SELECT count(*) - count(DISTINCT ${quoteName(name)}) FROM ${quoteName(table.name)}`;
    if ((await relations.measure([table], [repeats]))[0]?.[0] === 0) return [name];
  }
  return [];
}
