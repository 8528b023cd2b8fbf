import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyTask, scan } from '../../../plans/algebra/build.js';
import type { Apply } from '../../../plans/algebra/operator.js';
import { schemaOf } from '../../../plans/algebra/walk.js';
import { buildRequest, semanticOperators, validateCall } from '../../../plans/operators/index.js';
import type { SemanticCall } from '../../../plans/operators/call.js';
import type { OutputType } from '../../../plans/operators/output.js';
import type { JsonValue } from '../../../plans/protocol/json.js';
import type { MediaRef } from '../../../plans/protocol/model.js';
import { defaultCatalog, tasks } from '../../../plans/tasks/catalog.js';
import { generalCall, generalRows } from '../../../plans/tasks/general.js';
import type { Task } from '../../../plans/tasks/task.js';

/** Every task over a relation that has an attribute for each of its inputs, with every parameter set. */
function applyOf(task: Task, params: Readonly<Record<string, JsonValue>> = paramsOf(task)): Apply {
  // A vector is of one thing: no region stands beside the image.
  const slots = Object.entries(task.inputs).filter(([, slot]) => task.category !== 'latent' || slot.optional !== true);
  const schema = slots.map(([slot, { type }]) => ({ name: `a ${slot}`, type }));
  const bind = Object.fromEntries(slots.map(([slot]) => [slot, { attribute: `a ${slot}` }]));
  return applyTask(task, scan('r', { schema, key: [] }), { bind, params });
}
const samples = { text: 'Which {odd} one?', texts: ['one', 'two {2}'], number: 3, flag: true, type: 'BIGINT' } as const;
const paramsOf = ({ params = {} }: Task): Readonly<Record<string, JsonValue>> =>
  Object.fromEntries(Object.entries(params).map(([name, { kind }]) => [name, samples[kind]]));

const taskOf = (name: string): Task => {
  const task = defaultCatalog.get(name);
  if (task === undefined) throw new Error(`no task ${name}`);
  return task;
};
const media = (type: 'image' | 'audio'): MediaRef => ({ type, mediaType: `${type}/x`, hash: 'f'.repeat(64) });
const requestOf = (call: SemanticCall) =>
  buildRequest(
    call,
    call.inputs.map(({ modality, label }) => (modality === 'text' ? `value of ${label}` : media(modality))),
  );
const promptOf = (call: SemanticCall): string =>
  requestOf(call)
    .content.map((part) => (part.type === 'text' ? part.text : `<${part.type}>`))
    .join('');

/** A value of a type, the same each time. */
function sample(type: OutputType): JsonValue {
  if (type.kind === 'list') return [sample(type.item), sample(type.item)];
  if (type.kind === 'struct') return Object.fromEntries(type.fields.map((field) => [field.name, sample(field.type)]));
  if (type.kind === 'enum') return type.values[0] ?? '';
  return { boolean: true, integer: 7, number: 0.5, string: 'word', date: '2026-01-02', vector: [0.5] }[type.kind];
}

const without = ['OpImgEdit', 'OpAudEmbed'];

test.each(tasks.filter(({ name }) => !without.includes(name)))(
  '$name is asked by a call that is valid, shows its inputs, and whose answers are its outputs',
  (task) => {
    const apply = applyOf(task);
    const call = generalCall('t1', task, apply, schemaOf(apply.input));
    if (call === undefined) throw new Error('no call');
    validateCall(call);
    const prompt = promptOf(call);
    for (const { label, modality } of call.inputs)
      expect(prompt).toContain(modality === 'text' ? `value of ${label}` : `<${modality}>`);
    for (const value of Object.values(apply.params).flat())
      if (typeof value === 'string' && value !== 'BIGINT') expect(prompt).toContain(value);
    const given = sample(call.output);
    const reply =
      call.output.kind === 'string' && typeof given === 'string' ? given : JSON.stringify({ answer: given });
    const decoded = semanticOperators[call.parameters.kind].decode(reply, call);
    if (call.parameters.kind !== 'embed') expect(decoded).toEqual({ ok: true, value: given });
    const rows = generalRows(apply, given);
    expect(rows).toHaveLength(apply.cardinality === 'many' ? 2 : 1);
    for (const row of rows) expect(Object.keys(row)).toEqual(apply.outputs.map(({ name }) => name));
    const worded = apply.outputs.filter(({ type }) => !['BLOB', 'Audio', 'FLOAT[4]'].includes(type));
    for (const { name } of worded) expect(rows[0]?.[name]).not.toBeNull();
  },
);

test('what words do not give: an edited image and a vector of sound have no call, a mask and a clip are null, a box has four numbers or is null', () => {
  for (const name of without) {
    const apply = applyOf(taskOf(name));
    expect(generalCall('t', taskOf(name), apply, schemaOf(apply.input))).toBeUndefined();
  }
  const region = applyOf(taskOf('OpImgRegion'));
  expect(
    generalRows(region, [
      { RegIdx: 1, BBox: [0, 0, 9, 9] },
      { RegIdx: 2, BBox: [0, 0] },
    ]),
  ).toEqual([
    { RegIdx: 1, BBox: [0, 0, 9, 9], Mask: null },
    { RegIdx: 2, BBox: null, Mask: null },
  ]);
});

describe('answers', () => {
  const ner = applyOf(taskOf('OpTxtNER'));
  test('a list of none is no row, and a field that lacks is null', () => {
    expect(generalRows(ner, [])).toEqual([]);
    expect(generalRows(ner, [{ Entity: 'PERSON' }])).toEqual([{ Entity: 'PERSON', Score: null, Word: null }]);
  });

  test('outputs have the names of the plan', () => {
    const task = taskOf('OpTxtSenti');
    const input = scan('r', { schema: [{ name: 'text', type: 'Text' }], key: [] });
    const apply = applyTask(task, input, { bind: { text: 'text' }, as: { Score: 'sure' } });
    expect(generalRows(apply, { Polarity: 'mixed', Score: 0.5 })).toEqual([{ Polarity: 'mixed', sure: 0.5 }]);
    const call = generalCall('t', task, apply, schemaOf(input));
    expect(call?.output).toMatchObject({ kind: 'struct', fields: [{ name: 'Polarity' }, { name: 'Score' }] });
  });

  test('labels are choices, a typed answer has its type, a score lies between 0 and 1', () => {
    const cls = applyOf(taskOf('OpTxtCls'), { labels: ['a', 'b', 'a'] });
    expect(generalCall('t', taskOf('OpTxtCls'), cls, schemaOf(cls.input))?.output).toEqual({
      kind: 'struct',
      fields: [
        { name: 'Label', type: { kind: 'enum', values: ['a', 'b'] } },
        { name: 'Score', type: { kind: 'number', min: 0, max: 1 } },
      ],
    });
    const qa = applyOf(taskOf('OpTxtQA'), { question: 'When?', type: 'DATE' });
    expect(generalCall('t', taskOf('OpTxtQA'), qa, schemaOf(qa.input))?.output).toMatchObject({
      fields: [{ type: { kind: 'date' } }, {}],
    });
  });
});

test('texts of users stand in prompts as they are, whatever braces they hold', () => {
  const task = taskOf('OpTxtQA');
  const input = scan('r', { schema: [{ name: 't', type: 'Text' }], key: [] });
  const odd = fc
    .array(fc.constantFrom('{', '}', '{0}', '{text}', '{context}', 'a', ' ', '$&'))
    .map((parts) => `x${parts.join('')}`);
  fc.assert(
    fc.property(odd, odd, (question, context) => {
      const bind = { text: { attribute: 't' }, context: { text: context } };
      const call = generalCall('t', task, applyTask(task, input, { bind, params: { question } }), schemaOf(input));
      if (call === undefined) throw new Error('no call');
      validateCall(call);
      const prompt = promptOf(call);
      expect(prompt).toContain(`Question: ${question}\n`);
      expect(prompt).toContain(`Second text: ${context}`);
      expect(prompt.match(/value of t/g)).toHaveLength(1);
    }),
  );
});
