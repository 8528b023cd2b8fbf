import { chmod, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TableInput } from '../../../../plans/protocol/run.js';
import { knownTable } from '../../../../workers/runtime/duckdb/known-tables.js';
import { LocalObjectStore } from '../../../../workers/runtime/objects/local.js';
import { openWorkshop, type Workshop } from '../../../support/relations.js';

let workshop: Workshop;
let input: TableInput;
beforeAll(async () => {
  workshop = await openWorkshop();
  const object = await workshop.store.put(Buffer.from('id;text\n1;a\n2;\n'));
  input = { name: 't', format: 'csv', object, path: 'data.csv' };
});
afterAll(() => workshop.close());

const read = (change: Partial<TableInput> = {}) => workshop.relations.snapshotTable({ ...input, ...change });

test('a table that was read is known, under whatever name', async () => {
  expect(await knownTable(workshop.store, input)).toBeUndefined();
  const first = await read();
  expect(first.rows).toBe(2);
  expect(await knownTable(workshop.store, { ...input, name: 'u', path: 'elsewhere/b.csv' })).toEqual({
    ...first,
    name: 'u',
  });
  expect(await read()).toEqual(first);
});

test('the source itself need not be there any more, which shows that it is not read', async () => {
  const first = await read();
  const copy = new LocalObjectStore({ kind: 'local', dir: join(workshop.dir, 'store') });
  await rm(join(workshop.dir, 'store', 'objects', input.object.slice(0, 2), input.object.slice(2)));
  expect(await read()).toEqual(first);
  expect(await copy.put(Buffer.from('id;text\n1;a\n2;\n'))).toBe(input.object);
});

test('other bytes, another format, another table inside, or another store are other tables', async () => {
  await read();
  const object = await workshop.store.put(Buffer.from('id;text\n1;a\n'));
  const other = new LocalObjectStore({ kind: 'local', dir: join(workshop.dir, 'other') });
  expect(await knownTable(workshop.store, { ...input, object })).toBeUndefined();
  expect(await knownTable(workshop.store, { ...input, format: 'tsv' })).toBeUndefined();
  expect(await knownTable(workshop.store, { ...input, inner: 'x' })).toBeUndefined();
  expect(await knownTable(other, input)).toBeUndefined();
  expect((await read({ object })).rows).toBe(1);
});

test('a snapshot that was removed from the store, whose record is damaged, or that was cut short, is made again', async () => {
  const first = await read();
  const path = join(workshop.dir, 'store', 'objects', first.object.slice(0, 2), first.object.slice(2));
  await rm(path);
  expect(await read()).toEqual(first);
  expect(await workshop.store.has(first.object)).toBe(true);
  await chmod(path, 0o644);
  await truncate(path, 20);
  expect(await read()).toEqual(first);
  expect((await workshop.store.get(first.object)).length).toBeGreaterThan(20);
  for (const text of ['{', 'null', '[]', '{}', '{"object":"../x","rows":1,"columns":[]}']) {
    for await (const name of workshop.store.listNamed('tables/')) {
      await workshop.store.putNamed(name, Buffer.from(text));
    }
    expect(await read()).toEqual(first);
  }
});

test('a media column names files that may change, so such a table is read each time', async () => {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  );
  const path = join(workshop.dir, 'cars.csv');
  await writeFile(join(workshop.dir, 'car.png'), pixel);
  const object = await workshop.store.put(Buffer.from('id,pic\n1,car.png\n'));
  const cars = { name: 'cars', object, path, image: ['pic'] };
  await read(cars);
  await rm(join(workshop.dir, 'car.png'));
  await expect(read(cars)).rejects.toMatchObject({ code: 'BadMedia' });
});
