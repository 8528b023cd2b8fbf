import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createSessions } from '../../../../workers/runtime/duckdb/spare-session.js';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-sessions-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

test('each user has a session of its own, also when several come at once; nothing is left behind', async () => {
  const tempDir = join(dir, 'many');
  const sessions = createSessions({ tempDir });
  const first = await sessions.open();
  await first.lock([]);
  await new Promise((resolve) => setTimeout(resolve, 50));
  const next = await Promise.all([sessions.open(), sessions.open(), sessions.open()]);
  expect(new Set([first, ...next].map(({ workDir }) => workDir)).size).toBe(4);
  // the first one's lock is not theirs
  for (const session of next) await session.run("SET threads = '1'");
  for (const session of [first, ...next]) await session.close();
  await sessions.close();
  expect(await readdir(tempDir)).toEqual([]);
});

test('one that could not be opened ahead is opened anew, and its error is its user’s', async () => {
  const tempDir = join(dir, 'blocked');
  const sessions = createSessions({ tempDir });
  await writeFile(tempDir, 'in the way');
  await expect(sessions.open()).rejects.toThrow(/EEXIST|ENOTDIR/);
  await rm(tempDir);
  const session = await sessions.open();
  await session.close();
  await sessions.close();
});
