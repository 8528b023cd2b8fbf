import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonFaultOffset } from '../../../../workers/runtime/duckdb/readers/json-fault.js';

test('agrees with the engine on what is JSON', () => {
  fc.assert(
    fc.property(
      fc.json(),
      fc.nat(),
      fc.constantFrom('', ',', ']', '}', '"', ':', 'x', '1', ' '),
      (json, where, put) => {
        const at = where % (json.length + 1);
        const text = json.slice(0, at) + put + json.slice(at + (put === '' ? 1 : 0));
        let valid = true;
        try {
          JSON.parse(text);
        } catch {
          valid = false;
        }
        expect(jsonFaultOffset(text) === undefined).toBe(valid);
      },
    ),
    { numRuns: 2000 },
  );
});

test('names the place', () => {
  expect(jsonFaultOffset('[1, 2,, 3]')).toBe(6);
  expect(jsonFaultOffset('{"a": 1, b: 2}')).toBe(9);
  expect(jsonFaultOffset('[1, 2\n')).toBe(5);
});
