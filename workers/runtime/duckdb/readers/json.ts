import { open, readFile, stat } from 'node:fs/promises';
import { FermataError } from '../../../../plans/protocol/errors.js';
import { quoteText } from '../../../../plans/relation/names.js';
import { notUtf8 } from './csv.js';
import { invalidJsonLine, invalidJsonPlace, invalidUtf8Line } from './lines.js';
import type { Fault, Reader, ReaderContext } from './reader.js';

/** Largest record in bytes. */
const largestRecord = 64 * 1024 * 1024;
/** Largest array file that is read again to name the line of a fault. */
const largestReread = 256 * 1024 * 1024;

async function startsWithArray(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return /^\uFEFF?\s*\[/.test(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

async function read({ path, session, input }: ReaderContext): Promise<string> {
  const format = (await startsWithArray(path)) ? 'array' : 'auto';
  const options = `format = '${format}', sample_size = -1, maximum_object_size = ${String(largestRecord)}`;
  const query = `SELECT * FROM read_json(${quoteText(path)}, ${options})`;
  const [first] = await session.describe(query);
  if (first?.name === 'json' && (await session.rows(`SELECT 1 FROM (${query}) LIMIT 1`)).length === 0) {
    throw new FermataError('BadData', `${input.path} holds no records, so its columns are not known.`, {
      hint: 'Give it at least one record, or use a format that names its columns, such as CSV or Parquet.',
      where: { file: input.path, table: input.name },
    });
  }
  return query;
}

async function explain({ path }: ReaderContext, message: string): Promise<Fault> {
  const badLine = await invalidUtf8Line(path);
  if (badLine !== undefined) return notUtf8(badLine);
  const hint = 'A JSON table is an array of objects, or one object a line.';
  const duplicate = /has duplicate key (".*?")/.exec(message)?.[1];
  if (duplicate !== undefined) return { problem: `has a record with the key ${duplicate} twice`, hint };
  const whole = (await startsWithArray(path)) || (await looksLikeOneDocument(path));
  const tooLarge = whole && (await stat(path)).size > largestReread;
  if (!tooLarge) {
    const place = whole ? invalidJsonPlace(await readFile(path, 'utf8')) : await invalidJsonLine(path);
    if (place !== undefined) return { problem: `is not valid JSON: ${place.problem}`, line: place.line, hint };
  }
  const record = /in record\/value (\d+)/.exec(message)?.[1];
  const where = record === undefined ? '' : ` in record ${record}`;
  return { problem: `is not valid JSON${where}: ${message.split('\n')[0]?.replace(/^.*: /, '') ?? ''}`, hint };
}

/** One object over several lines: its first line alone is no JSON. */
async function looksLikeOneDocument(path: string): Promise<boolean> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(4096), 0, 4096, 0);
    return /^\uFEFF?\s*\{\s*\r?\n/.test(buffer.toString('utf8', 0, bytesRead));
  } finally {
    await file.close();
  }
}

/** JSON arrays, JSON lines and single objects. */
export const jsonReader: Reader = { read, explain };
