import { describe, expect, it } from 'vitest';
import type { OutputType } from '../../../../plans/operators/output.js';
import { readReturned } from '../../../../plans/physical/synthesis/answer.js';
import type { JsonValue } from '../../../../plans/protocol/json.js';

const struct: OutputType = {
  kind: 'struct',
  fields: [
    { name: 'a', type: { kind: 'integer' } },
    { name: 'b', type: { kind: 'string' }, required: true },
  ],
};
const rated: OutputType = { kind: 'number', min: 0, max: 5 };

describe('an answer of code', () => {
  it.each<[OutputType, JsonValue]>([
    [{ kind: 'boolean' }, false],
    [{ kind: 'integer' }, -3],
    [rated, 5],
    [{ kind: 'string' }, ''],
    [{ kind: 'date' }, '2024-02-29'],
    [{ kind: 'enum', values: ['x', 'y'] }, 'y'],
    [{ kind: 'list', item: { kind: 'integer' } }, []],
    [{ kind: 'vector' }, [0.5, 1]],
    [struct, { a: null, b: 'x' }],
  ])('is of the type: %j %j', (output, answer) => {
    expect(readReturned({ answer }, output)).toEqual({ state: 'ok', value: answer });
  });

  it.each<[OutputType, JsonValue]>([
    [{ kind: 'boolean' }, 'yes'],
    [{ kind: 'boolean' }, 1],
    [{ kind: 'integer' }, 1.5],
    [{ kind: 'integer' }, 1e300],
    [rated, 5.1],
    [rated, '3'],
    [{ kind: 'string' }, 3],
    [{ kind: 'string' }, null],
    [{ kind: 'date' }, '2023-02-29'],
    [{ kind: 'date' }, '2023-02-28 10:00'],
    [{ kind: 'enum', values: ['x', 'y'] }, 'Y'],
    [{ kind: 'list', item: { kind: 'integer' } }, [1, '2']],
    [{ kind: 'vector' }, 'x'],
    [struct, { a: 1 }],
    [struct, { a: 1, b: null }],
    [struct, { a: 1, b: 'x', c: 1 }],
    [struct, [1, 'x']],
  ])('is not of the type: %j %j', (output, answer) => {
    expect(readReturned({ answer }, output)).toMatchObject({ state: 'failed', fault: 'wrong-type' });
  });

  it.each<[JsonValue]>([['x'], [true], [[]], [{}], [{ answer: 'x', why: 1 }], [{ answer: 'x', confidence: 2 }]])(
    'comes as {answer, confidence}: not %j',
    (returned) => {
      expect(readReturned(returned, { kind: 'string' })).toMatchObject({ fault: 'wrong-type' });
    },
  );

  it('is none: null', () => {
    expect(readReturned(null, { kind: 'string' })).toEqual({ state: 'abstained' });
  });
});
