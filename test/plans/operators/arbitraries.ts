import fc from 'fast-check';
import type { OutputType, StructField } from '../../../plans/operators/output.js';
import type { JsonValue } from '../../../plans/protocol/json.js';

const label = fc.string({ minLength: 1, maxLength: 12, unit: 'grapheme' }).filter((text) => text.trim() !== '');

const leaf: fc.Arbitrary<OutputType> = fc.oneof(
  fc.constantFrom<OutputType>(
    { kind: 'boolean' },
    { kind: 'integer' },
    { kind: 'string' },
    { kind: 'date' },
    { kind: 'number' },
  ),
  fc
    .tuple(fc.integer({ min: -50, max: 0 }), fc.integer({ min: 1, max: 50 }))
    .map(([min, max]): OutputType => ({ kind: 'number', min, max })),
  fc.uniqueArray(label, { minLength: 1, maxLength: 5 }).map((values): OutputType => ({ kind: 'enum', values })),
);

const fieldName = fc.oneof(
  { weight: 4, arbitrary: fc.string({ minLength: 1, maxLength: 8 }).filter((text) => text.trim() !== '') },
  { weight: 1, arbitrary: fc.constantFrom('answer', '__proto__', 'constructor', 'toString') },
);

export const outputType: fc.Arbitrary<OutputType> = fc.letrec<{ type: OutputType }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, depthIdentifier: 'output' },
    leaf,
    tie('type').map((item): OutputType => ({ kind: 'list', item })),
    fc
      .uniqueArray(fc.tuple(fieldName, tie('type')), {
        minLength: 1,
        maxLength: 4,
        selector: ([name]) => name.toLowerCase(),
      })
      .map(
        (fields): OutputType => ({
          kind: 'struct',
          fields: fields.map(([name, type]): StructField => ({ name, type })),
        }),
      ),
  ),
})).type;

const isoDate = fc
  .date({ min: new Date('0001-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));

/** A value of a type, as an answer holds it. */
export function valueOf(type: OutputType): fc.Arbitrary<JsonValue> {
  switch (type.kind) {
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return fc.maxSafeInteger().map((value) => value + 0);
    case 'number':
      return fc
        .double({
          noNaN: true,
          noDefaultInfinity: true,
          ...(type.min === undefined ? {} : { min: type.min }),
          ...(type.max === undefined ? {} : { max: type.max }),
        })
        .map((value) => (value === 0 ? 0 : value));
    case 'string':
      return fc.string({ unit: 'binary', maxLength: 30 });
    case 'date':
      return isoDate;
    case 'enum':
      return fc.constantFrom(...type.values);
    case 'vector':
      return fc.array(fc.float({ noNaN: true, noDefaultInfinity: true }), { maxLength: 4 });
    case 'list':
      return fc.array(valueOf(type.item), { maxLength: 4 });
    case 'struct':
      return fc
        .tuple(...type.fields.map((field) => fc.option(valueOf(field.type), { nil: null, freq: 5 })))
        .map((values) => Object.fromEntries(type.fields.map((field, at) => [field.name, values[at] ?? null])));
  }
}

export const typeAndValue = outputType.chain((type) => valueOf(type).map((value) => ({ type, value })));
