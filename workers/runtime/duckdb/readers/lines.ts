import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { parseJson } from '../../../../plans/protocol/json.js';
import { jsonFaultOffset } from './json-fault.js';

/** Number of the first line, from 1, that is not valid UTF-8; undefined when all are. */
export async function invalidUtf8Line(path: string): Promise<number | undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let line = 1;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      // cut at line ends, so that a failure belongs to one line
      let from = 0;
      for (;;) {
        const end = chunk.indexOf(0x0a, from);
        decoder.decode(chunk.subarray(from, end < 0 ? chunk.length : end + 1), { stream: true });
        if (end < 0) break;
        line += 1;
        from = end + 1;
      }
    }
    decoder.decode();
    return undefined;
  } catch {
    return line;
  }
}

/** First line, from 1, of a file of JSON lines that is not JSON. */
export async function invalidJsonLine(path: string): Promise<{ line: number; problem: string } | undefined> {
  let line = 0;
  const input = createReadStream(path, 'utf8');
  try {
    for await (const text of createInterface({ input, crlfDelay: Infinity })) {
      line += 1;
      if (text.trim() === '') continue;
      const parsed = parseJson(text);
      if (!parsed.ok) return { line, problem: parsed.error };
    }
    return undefined;
  } finally {
    input.destroy();
  }
}

/** Line, from 1, at which a JSON text stops being one. */
export function invalidJsonPlace(text: string): { line: number; problem: string } | undefined {
  const offset = jsonFaultOffset(text);
  if (offset === undefined) return undefined;
  const found = text.slice(offset, offset + 20).split('\n')[0] ?? '';
  const problem = found === '' ? 'it ends too early' : `unexpected ${found}`;
  return { line: text.slice(0, offset).split('\n').length, problem };
}

/** Line, from 1, of a quote that is never closed. */
export async function openQuoteLine(path: string): Promise<number | undefined> {
  let line = 1;
  let opened: number | undefined;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    for (const byte of chunk) {
      if (byte === 0x0a) line += 1;
      // a doubled quote closes and opens again: the line stays the same
      else if (byte === 0x22) opened = opened === undefined ? line : undefined;
    }
  }
  return opened;
}

/** The first bytes of a file, up to its first line end outside quotes. */
export async function firstLine(path: string, quote = '"'): Promise<string> {
  let text = '';
  const input = createReadStream(path, { encoding: 'utf8', highWaterMark: 65_536 });
  try {
    for await (const chunk of input as AsyncIterable<string>) {
      text += chunk;
      let quoted = false;
      for (let index = 0; index < text.length; index += 1) {
        if (text[index] === quote) quoted = !quoted;
        else if (!quoted && (text[index] === '\n' || text[index] === '\r')) return text.slice(0, index);
      }
      if (text.length > 1_048_576) return text;
    }
    return text;
  } finally {
    input.destroy();
  }
}
