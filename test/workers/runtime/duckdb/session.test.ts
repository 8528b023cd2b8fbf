import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DuckDbSession, openDuckDb } from '../../../../workers/runtime/duckdb/session.js';

let dir: string;
let session: DuckDbSession;
let known: string;

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-session-'));
  session = await openDuckDb({ tempDir: dir });
  known = join(dir, 'known.parquet');
  await session.run(`COPY (SELECT 1 AS a) TO '${known}' (FORMAT parquet)`);
  await writeFile(join(dir, 'secret.txt'), 'secret');
  await session.run(`CREATE VIEW known AS SELECT * FROM read_parquet('${known}')`);
  await session.lock([known]);
});

afterAll(async () => {
  await session.close();
  await rm(dir, { recursive: true, force: true });
});

test('a locked session reads the files that it was given', async () => {
  expect(await session.rows('SELECT a FROM known')).toEqual([{ a: 1 }]);
});

test.each([
  `SELECT * FROM read_text('/etc/passwd')`,
  `SELECT * FROM read_text('SECRET')`,
  `SELECT * FROM read_text('KNOWN/../secret.txt')`,
  `SELECT * FROM read_csv('SECRET')`,
  `SELECT * FROM 'SECRET'`,
  `SELECT * FROM read_blob('http://127.0.0.1:9/x')`,
  `SELECT * FROM glob('/etc/*')`,
  `SELECT * FROM sniff_csv('/etc/passwd')`,
  `SELECT getenv('HOME')`,
  `COPY known TO 'KNOWN' (USE_TMP_FILE false)`,
  `COPY known TO '/tmp/never.csv'`,
  `ATTACH '/tmp/never.db'`,
  `ATTACH ':memory:' AS more`,
  `INSTALL httpfs`,
  `LOAD httpfs`,
  `SET enable_external_access = true`,
  `SET lock_configuration = false`,
  `CREATE TABLE x AS SELECT 1`,
  `DROP VIEW known`,
  `SELECT 1; DROP VIEW known`,
  `EXPORT DATABASE '/tmp/never'`,
])('a user cannot run %s', async (template) => {
  const sql = template.replace('SECRET', join(dir, 'secret.txt')).replace('KNOWN', known);
  await expect(
    (async () => {
      const result = await session.stream(sql);
      await result.fetchChunk();
    })(),
  ).rejects.toThrow();
});

test('SQL of ours cannot leave the lock either', async () => {
  for (const sql of [
    'SET enable_external_access = true',
    `SET allowed_paths = ['/etc/passwd']`,
    'RESET lock_configuration',
    `ATTACH '${join(dir, 'x.db')}'`,
  ]) {
    await expect(session.run(sql)).rejects.toThrow();
  }
});

test('closing removes the folder of the session', async () => {
  const other = await openDuckDb({ tempDir: dir });
  const { workDir } = other;
  await other.close();
  await other.close();
  expect(await readdir(dir)).not.toContain(workDir.split('/').at(-1));
});
