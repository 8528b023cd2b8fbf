/** LMDB reads its file as memory: where the file is damaged it ends the process instead of reporting it. So look first. */
import { spawnSync } from 'node:child_process';
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { createRequire } from 'node:module';

/** Offsets in a page, and in a meta page from its start, as lmdb 3.5 writes them (little-endian). */
const page = { number: 0, flags: 18, header: 24 } as const;
const meta = {
  magic: 24,
  pageSize: 48,
  freeRoot: 88,
  mainRoot: 136,
  lastPage: 144,
  transaction: 152,
  end: 160,
} as const;
const magic = 0xbeefc0de;
/** Page flags of a tree's nodes: branch, leaf. */
const treePage = 0x01 | 0x02;
/** Root of an empty tree. */
const noPage = 0xffff_ffff_ffff_ffffn;

/** Looks at a file that other processes write may meet a page that has just been used again: then there is a newer meta. */
const looks = 5;

/** Longest that a whole reading may take, in milliseconds. */
const probeMs = 60_000;

/**
 * Refuses a data file that is not LMDB's, is cut short or whose trees have no roots. A missing or empty file passes, since
 * that is how a new environment begins. Damage further inside is not looked for.
 */
export function checkDataFile(dir: string): void {
  const path = join(dir, 'data.mdb');
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw error;
  }
  try {
    for (let left = looks; ; left -= 1) {
      const found = look(file);
      if (found === 'whole') return;
      if (found === 'short') {
        readWhole(dir, path);
        return;
      }
      if (left === 1) throw damaged(path);
    }
  } finally {
    closeSync(file);
  }
}

function look(file: number): 'whole' | 'short' | 'damaged' {
  const { size } = fstatSync(file);
  if (size === 0) return 'whole';
  const first = readAt(file, 0, meta.end);
  const pageSize = first === undefined ? 0 : first.readUInt32LE(meta.pageSize);
  if (pageSize < 256 || pageSize > 0x1_0000 || size < 2 * pageSize || size % pageSize > 0) return 'damaged';
  const metas = [first, readAt(file, pageSize, meta.end)];
  if (metas.some((each) => each?.readUInt32LE(meta.magic) !== magic)) return 'damaged';
  const newest = (metas as readonly Buffer[]).reduce((a, b) => (transactionOf(b) > transactionOf(a) ? b : a));
  const roots = [newest.readBigUInt64LE(meta.freeRoot), newest.readBigUInt64LE(meta.mainRoot)];
  if (!roots.every((root) => root === noPage || isTreePage(file, root, pageSize))) return 'damaged';
  const wanted = (newest.readBigUInt64LE(meta.lastPage) + 1n) * BigInt(pageSize);
  return wanted > BigInt(size) ? 'short' : 'whole';
}

const transactionOf = (from: Buffer): bigint => from.readBigUInt64LE(meta.transaction);

function isTreePage(file: number, number: bigint, pageSize: number): boolean {
  const at = number * BigInt(pageSize);
  const head = at > BigInt(Number.MAX_SAFE_INTEGER) ? undefined : readAt(file, Number(at), page.header);
  return head?.readBigUInt64LE(page.number) === number && (head.readUInt16LE(page.flags) & treePage) !== 0;
}

/** Undefined where the file ends before. */
function readAt(file: number, at: number, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length);
  return readSync(file, bytes, 0, length, at) === length ? bytes : undefined;
}

/** Opens an environment and touches every record: `node -e … <dir>`. */
const probe = `
const { open } = await import(process.argv[1]);
const root = open(process.argv[2], { readOnly: true, maxDbs: 8, encoding: 'binary', keyEncoding: 'binary' });
for (const name of root.getKeys().asArray) {
  const db = root.openDB(String(name).replace(/\\0$/, ''), { encoding: 'binary', keyEncoding: 'binary' });
  for (const { value } of db.getRange()) value.at(-1);
}
`;

/**
 * A file that is shorter than its meta page says is whole only when its last pages are free ones that were never written. To
 * tell, a process reads all of it, which dies in place of this one.
 */
function readWhole(dir: string, path: string): void {
  const lmdb = pathToFileURL(createRequire(import.meta.url).resolve('lmdb')).href;
  const { status } = spawnSync(process.execPath, ['--input-type=module', '-e', probe, lmdb, dir], {
    stdio: 'ignore',
    timeout: probeMs,
  });
  if (status !== 0) throw damaged(path);
}

function damaged(path: string): Error {
  return new Error(`${path} is not a ledger file, or it is damaged`);
}
