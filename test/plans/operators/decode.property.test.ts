import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decodeAnswer } from '../../../plans/operators/decode.js';
import { jsonSchema } from '../../../plans/operators/json-schema.js';
import type { OutputType } from '../../../plans/operators/output.js';
import type { JsonValue } from '../../../plans/protocol/json.js';
import { outputType, typeAndValue, valueOf } from './arbitraries.js';
import { type AnswerSchema, accepts } from './schema-checker.js';

const encode = (value: JsonValue, type: OutputType): string =>
  type.kind === 'string' ? (value as string) : JSON.stringify({ answer: value });

const readable = (value: JsonValue, type: OutputType): boolean =>
  type.kind !== 'string' || ((value as string).trim() !== '' && !(value as string).includes('</'));

const wrappers: ((json: string) => string)[] = [
  (json) => json,
  (json) => `\n ${json} \n`,
  (json) => `\`\`\`json\n${json}\n\`\`\``,
  (json) => `Here it is:\n\`\`\`\n${json}\n\`\`\`\nAnything else?`,
  (json) => `<think>It's a "tricky" one: {"answer": 1}? [2]</think>\n${json}`,
  (json) => `it could be {"answer": null}\n</think>\n\n${json}`,
  (json) => `Sure! The answer follows. ${json} I'm confident.`,
  (json) => `${json}\n${json}`,
];

describe('every type', () => {
  it('reads back what was written, in every wrapping that models use', () => {
    fc.assert(
      fc.property(typeAndValue, fc.constantFrom(...wrappers), ({ type, value }, wrap) => {
        fc.pre(readable(value, type));
        if (type.kind === 'string') {
          expect(decodeAnswer(encode(value, type), type)).toEqual({ ok: true, value: (value as string).trim() });
        } else {
          const decoded = decodeAnswer(wrap(encode(value, type)), type);
          expect(decoded).toEqual({ ok: true, value });
        }
      }),
      { numRuns: 1500 },
    );
  });

  it('reads a value without its envelope', () => {
    fc.assert(
      fc.property(
        typeAndValue.filter(({ type }) => type.kind !== 'string'),
        ({ type, value }) => {
          // a struct whose fields may themselves be called "answer" needs the envelope
          fc.pre(
            !(type.kind === 'struct' && type.fields.some((field) => field.name.trim().toLowerCase() === 'answer')),
          );
          expect(decodeAnswer(JSON.stringify(value), type)).toEqual({ ok: true, value });
        },
      ),
    );
  });

  it('never throws, and what it reads keeps to the schema', () => {
    const bits = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        '"answer"',
        ':',
        'true',
        'false',
        'null',
        '1',
        ',',
        '"',
        '```json\n',
        '```',
        '<think>',
        '</think>',
      ],
      ...[
        '\n',
        'yes',
        'No.',
        ' ',
        '\\',
        "'",
        '{"answer": true}',
        '{"answer":',
        'Answer: ',
        '2020-01-32',
        '1,000',
        '👍',
        '\ud800',
      ],
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.json(),
      fc.array(bits, { maxLength: 12 }).map((parts) => parts.join('')),
      fc.json().map((json) => `{"answer": ${json}}`),
    );
    fc.assert(
      fc.property(outputType, text, (type, reply) => {
        const decoded = decodeAnswer(reply, type);
        if (decoded.ok) expect(accepts(jsonSchema(type), { answer: decoded.value })).toBe(true);
        else expect(decoded.problem).not.toBe('');
      }),
      { numRuns: 3000 },
    );
  });

  it('is quick on large and hostile replies', () => {
    const types: OutputType[] = [
      { kind: 'boolean' },
      { kind: 'enum', values: ['a', 'b'] },
      { kind: 'list', item: { kind: 'enum', values: ['a', 'b'] } },
      { kind: 'struct', fields: [{ name: 'a', type: { kind: 'number' } }] },
      { kind: 'string' },
    ];
    const hostile = ['{', '[', '"', ' ', '\n', '{"answer":', '<think>', '</think>', "'", '{answer: ', 'a ', '\\'];
    // linear work takes a second; quadratic work runs into the test's time limit
    for (const type of types) {
      for (const bit of hostile) {
        const decoded = decodeAnswer(`${bit.repeat(100_000 / bit.length)}x`, type);
        expect(decoded.ok).toBe(type.kind === 'string' && bit !== '<think>');
      }
    }
  });
});

describe('the schema', () => {
  it('accepts every value of its type', () => {
    fc.assert(fc.property(typeAndValue, ({ type, value }) => accepts(jsonSchema(type), { answer: value })));
  });

  /** Changes one place of a value into something that no spelling of its type covers. */
  const broken = (type: OutputType): fc.Arbitrary<JsonValue> => {
    const own: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue>({ other: 1 }, 'zz not a value zz', [[[]]], 0.5);
    if (type.kind === 'list') {
      return fc.oneof(
        own,
        broken(type.item).map((item) => [item]),
        fc.constant([null]),
      );
    }
    if (type.kind === 'struct') {
      return fc.oneof(
        own,
        fc.nat(type.fields.length - 1).chain((at) =>
          fc.tuple(valueOf(type), broken(type.fields[at]!.type), fc.boolean()).map(([value, bad, drop]) => {
            const entries = Object.entries(value as Record<string, JsonValue>);
            return Object.fromEntries(
              drop
                ? entries.filter(([name]) => name !== type.fields[at]!.name)
                : entries.map(([name, item]) => [name, name === type.fields[at]!.name ? bad : item]),
            );
          }),
        ),
      );
    }
    return type.kind === 'number' && type.max !== undefined
      ? fc.oneof(own, fc.constantFrom(type.max + 0.001, type.min! - 0.001))
      : own;
  };

  it('accepts exactly what is decoded, on values that are right or wrong in one place', () => {
    fc.assert(
      fc.property(
        outputType
          .filter((type) => type.kind !== 'string')
          .chain((type) => fc.oneof(valueOf(type), broken(type)).map((value) => ({ type, value }))),
        ({ type, value }) => {
          const inSchema = accepts(jsonSchema(type), { answer: value });
          const decoded = decodeAnswer(JSON.stringify({ answer: value }), type);
          const bare = withoutEnvelope(value, type);
          if (inSchema) expect(decoded).toEqual({ ok: true, value });
          else if (bare !== undefined) expect(decoded).toEqual({ ok: true, value: bare });
          // decoding is wider only where a number stands for text
          else if (decoded.ok) expect(holdsText(type)).toBe(true);
        },
      ),
      {
        numRuns: 1500,
        examples: [
          [{ type: { kind: 'struct', fields: [{ name: 'answer', type: { kind: 'number' } }] }, value: 0.5 }],
          [{ type: { kind: 'struct', fields: [{ name: 'Answer', type: { kind: 'boolean' } }] }, value: true }],
        ],
      },
    );
  });

  it('is closed and requires every key, as strict mode wants', () => {
    fc.assert(
      fc.property(outputType, (type) => {
        const walk = (schema: AnswerSchema): void => {
          if (schema.type === 'object') {
            expect(schema.additionalProperties).toBe(false);
            expect([...schema.required!].sort()).toEqual(Object.keys(schema.properties!).sort());
          }
          Object.values(schema.properties ?? {}).forEach(walk);
          if (schema.items !== undefined) walk(schema.items);
          schema.anyOf?.forEach(walk);
        };
        walk(jsonSchema(type));
      }),
    );
  });
});

/** The struct that `{"answer": value}` is where its only field has that name and the envelope was left out. */
function withoutEnvelope(value: JsonValue, type: OutputType): JsonValue | undefined {
  if (type.kind !== 'struct' || type.fields.length > 1) return undefined;
  const [field] = type.fields;
  if (field?.name.toLowerCase() !== 'answer') return undefined;
  const struct = { [field.name]: value };
  return accepts(jsonSchema(type), { answer: struct }) ? struct : undefined;
}

function holdsText(type: OutputType): boolean {
  if (type.kind === 'list') return holdsText(type.item);
  return type.kind === 'struct' ? type.fields.some((field) => holdsText(field.type)) : type.kind === 'string';
}
