import { appendFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openJournal } from '../../../bench/sembench/journal.js';
import { type Entry, keyOf } from '../../../bench/sembench/record.js';

const dir = mkdtempSync(join(tmpdir(), 'fermata-journal-'));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

it('a journal that a killed run left goes on: whole lines are found, a torn one is measured again, others are not taken', () => {
  const path = join(dir, 'deep', 'journal.jsonl');
  const entry: Entry = {
    scenario: 'movie',
    query: 'Q1',
    system: 'direct',
    seed: 1,
    manifest: 'a',
    status: 'failed',
    why: 'x',
  };
  const second = { ...entry, query: 'Q2' };
  openJournal(path).add(entry);
  appendFileSync(path, JSON.stringify(second).slice(0, 30));
  const journal = openJournal(path);
  expect(journal.find(keyOf(entry))).toEqual(entry);
  expect(journal.find(keyOf(second))).toBeUndefined();
  for (const other of [{ seed: 2 }, { manifest: 'b' }, { system: 'routed' }]) {
    expect(journal.find(keyOf({ ...entry, ...other }))).toBeUndefined();
  }
  journal.add(second);
  expect(openJournal(path).find(keyOf(second))).toEqual(second);
  expect(readFileSync(path, 'utf8').trim().split('\n')).toHaveLength(3);
});
