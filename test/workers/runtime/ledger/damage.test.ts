import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { checkDataFile } from '../../../../workers/runtime/ledger/file-check.js';
import { openLmdbLedger } from '../../../../workers/runtime/ledger/lmdb.js';
import { transpile } from '../../../support/transpile.js';

/** What LMDB does on a damaged file is to end the process, so each case is a process of its own. */

let js: { readonly dir: string; readonly entry: string };
let root: string;
let whole: string;
let live: string;
const answers = 500;

beforeAll(async () => {
  js = transpile('test/workers/runtime/ledger/child.ts');
  root = mkdtempSync(join(tmpdir(), 'fermata-damage-'));
  whole = join(root, 'whole');
  const ledger = openLmdbLedger({ dir: whole });
  const usage = { inputTokens: 1, outputTokens: 1 };
  for (let at = 0; at < answers; at += 1) {
    const key = createHash('sha256').update(`k${at}`).digest('hex');
    const answer = { value: 'x'.repeat(300), usage, usd: 0.01, ms: 1, runId: 'run' };
    const settled = ledger.settle(
      { runId: 'run', holder: 'h' },
      'f0',
      { usd: 0, tokens: 0 },
      { key, answer, usage, retry: false },
    );
    if (at % 50 === 0) await settled;
  }
  await ledger.close();
  live = readdirSync(whole).find((name) => name.startsWith('live-')) ?? '';
});
afterAll(() => {
  rmSync(js.dir, { recursive: true, force: true });
  rmSync(root, { recursive: true, force: true });
});

interface Use {
  readonly status: number | null;
  readonly signal: string | null;
  readonly said: Readonly<Record<string, unknown>>;
}

function use(environment: string, damage: (file: string, bytes: Buffer) => void): Use {
  const dir = join(root, 'damaged');
  rmSync(dir, { recursive: true, force: true });
  cpSync(whole, dir, { recursive: true });
  const file = join(dir, environment, 'data.mdb');
  rmSync(join(dir, environment, 'lock.mdb'));
  damage(file, readFileSync(file));
  const child = spawnSync(process.execPath, [js.entry, dir, 'run', 'h', 'use'], { encoding: 'utf8' });
  return {
    status: child.status,
    signal: child.signal,
    said: (child.stdout === '' ? { stderr: child.stderr } : JSON.parse(child.stdout)) as Use['said'],
  };
}

const environments = ['safe', 'live'];
const cut = (length: (bytes: Buffer) => number) => (file: string, bytes: Buffer) => truncateSync(file, length(bytes));
const garble = (from: (bytes: Buffer) => number, fill: (at: number) => number) => (file: string, bytes: Buffer) => {
  for (let at = from(bytes); at < bytes.length; at += 1) bytes[at] = fill(at);
  writeFileSync(file, bytes);
};
const noise = (at: number) => (Math.imul(at, 2654435761) >>> 8) & 255;
const page = 4096;

const damages: readonly (readonly [string, (file: string, bytes: Buffer) => void])[] = [
  ['cut to a hundred bytes', cut(() => 100)],
  ['cut to one page', cut(() => page)],
  ['cut to its meta pages', cut(() => 2 * page)],
  ['cut in the middle of a page', cut((bytes) => bytes.length - 100)],
  ['cut to a quarter', cut((bytes) => Math.floor(bytes.length / 4 / page) * page)],
  ['another kind of file', garble(() => 0, noise)],
  [
    'zeros',
    garble(
      () => 0,
      () => 0,
    ),
  ],
  ['noise after its meta pages', garble(() => 2 * page, noise)],
  [
    'zeros after its meta pages',
    garble(
      () => 2 * page,
      () => 0,
    ),
  ],
];

for (const environment of environments) {
  test.each(damages)(`${environment}: %s is an error that names the file`, (_, damage) => {
    const { status, signal, said } = use(environment === 'live' ? live : environment, damage);
    expect({ status, signal }).toEqual({ status: 0, signal: null });
    expect(said).toMatchObject({ code: 'StoreUnreachable', hint: expect.stringContaining('move it away') as string });
    expect(said['message']).toMatch(/data\.mdb is not a ledger file, or it is damaged/);
  });

  test(`${environment}: an empty file, and one that is whole, are used`, () => {
    const name = environment === 'live' ? live : environment;
    expect(use(name, () => undefined).said).toEqual({ found: answers, calls: answers, answers });
    expect(
      use(
        name,
        cut(() => 0),
      ),
    ).toMatchObject({ status: 0, signal: null, said: { found: expect.any(Number) as number } });
  });
}

test('a file that lacks pages which nothing uses is whole; one that lacks used pages is not', () => {
  const dir = join(root, 'short');
  cpSync(join(whole, 'safe'), dir, { recursive: true });
  const bytes = readFileSync(join(dir, 'data.mdb'));
  // Says in both meta pages that the file goes on for 50 pages more than it does.
  for (const at of [144, page + 144]) bytes.writeBigUInt64LE(BigInt(bytes.length / page + 49), at);
  writeFileSync(join(dir, 'data.mdb'), bytes);
  expect(() => checkDataFile(dir)).not.toThrow();
  // Breaks the trees below their roots, which are looked at in any case.
  const roots = [88, 136, page + 88, page + 136].map((at) => Number(bytes.readBigUInt64LE(at)));
  for (let number = 2; number < bytes.length / page; number += 1) {
    if (!roots.includes(number)) bytes.fill(0, number * page, (number + 1) * page);
  }
  writeFileSync(join(dir, 'data.mdb'), bytes);
  expect(() => checkDataFile(dir)).toThrow('damaged');
});
