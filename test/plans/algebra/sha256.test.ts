import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256 } from '../../../plans/algebra/sha256.js';

test('gives what node:crypto gives, for texts of every length around the block size', () => {
  const expected = (text: string): string => createHash('sha256').update(text).digest('hex');
  for (let length = 0; length < 200; length += 1) expect(sha256('x'.repeat(length))).toBe(expected('x'.repeat(length)));
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 300 }), (text) => sha256(text) === expected(text)));
});
