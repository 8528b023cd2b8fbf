/** Entries as JSON lines, each written once it is measured: an interrupted run goes on after the last whole line. */
import { appendFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { parseJson } from '../../plans/protocol/json.js';
import { type Entry, keyOf } from './record.js';

export interface Journal {
  /** What is there of the same scenario, query, system, seed and manifest. */
  find(key: string): Entry | undefined;
  add(entry: Entry): void;
}

export function openJournal(path: string): Journal {
  const entries = new Map<string, Entry>();
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  for (const line of text.split('\n')) {
    const parsed = parseJson(line);
    // a line that a killed run left half written is measured again
    if (!parsed.ok || parsed.value === null) continue;
    const entry = parsed.value as unknown as Entry;
    entries.set(keyOf(entry), entry);
  }
  mkdirSync(dirname(path), { recursive: true });
  if (text !== '' && !text.endsWith('\n')) appendFileSync(path, '\n');
  return {
    find: (key) => entries.get(key),
    add(entry) {
      entries.set(keyOf(entry), entry);
      appendFileSync(path, `${JSON.stringify(entry)}\n`);
    },
  };
}
