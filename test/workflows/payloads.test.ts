import { readFileSync, readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { historiesDir } from '../replay/record.js';

/** What workflows carry: ids, ranges, counters and small plans, in real histories. */

const limit = 32 * 1024;

function payloadSizes(value: unknown, sizes: number[] = []): number[] {
  if (Array.isArray(value)) for (const item of value) payloadSizes(item, sizes);
  else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      if (key === 'data' && typeof item === 'string') sizes.push(Buffer.from(item, 'base64').length);
      else payloadSizes(item, sizes);
    }
  }
  return sizes;
}

test('no value in a history is over 32 KB', () => {
  const files = readdirSync(historiesDir).filter((name) => name.endsWith('.json'));
  expect(files.length).toBeGreaterThan(0);
  for (const name of files) {
    const sizes = payloadSizes(JSON.parse(readFileSync(`${historiesDir}${name}`, 'utf8')));
    expect(sizes.length).toBeGreaterThan(2);
    expect(Math.max(...sizes), name).toBeLessThan(limit);
  }
});
