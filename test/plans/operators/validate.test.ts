import { describe, expect, it } from 'vitest';
import type { SemanticCall } from '../../../plans/operators/call.js';
import type { OutputType } from '../../../plans/operators/output.js';
import { validateCall } from '../../../plans/operators/validate.js';
import { callOf, labels, sampleCalls } from './calls.js';

const text: OutputType = { kind: 'string' };
const two: OutputType = { kind: 'enum', values: ['a', 'b'] };
const nested = (depth: number): OutputType => (depth === 0 ? text : { kind: 'list', item: nested(depth - 1) });
const classifyOf = (names: string[], output: OutputType = { kind: 'enum', values: names }): SemanticCall =>
  callOf({ kind: 'classify', labels: names.map((label) => ({ label })), multi: false }, output);
const structOf = (...names: string[]): SemanticCall =>
  callOf({ kind: 'extract' }, { kind: 'struct', fields: names.map((name) => ({ name, type: text })) });

describe('validateCall', () => {
  it.each(Object.entries(sampleCalls))('takes %s', (_, call) => {
    expect(() => validateCall(call)).not.toThrow();
  });

  // lotus/pull/141: an instruction that names no column gives every row the same prompt
  it.each(['is positive', '{{0}}', ''])('refuses the prompt %j, which names no column', (template) => {
    expect(() => validateCall({ ...sampleCalls['filter']!, template })).toThrow(
      expect.objectContaining({ code: 'PromptWithoutColumn', where: { operator: 'filter', position: 7 } }),
    );
  });

  const bad: [string, SemanticCall, RegExp][] = [
    ['an input too few', { ...sampleCalls['filter']!, template: '{0} {1}' }, /names \{1\}, but has 1/],
    [
      'an input too many',
      {
        ...sampleCalls['filter']!,
        inputs: [...sampleCalls['filter']!.inputs, { sql: 'x', label: 'other', modality: 'text' }],
      },
      /"other" is not named/,
    ],
    ['a lone brace', { ...sampleCalls['filter']!, template: '{0} {' }, /lone/],
    ['a filter of text', callOf({ kind: 'filter' }, text), /true or false/],
    ['no label', classifyOf([]), /at least one value/],
    ['one label', classifyOf(['a']), /two labels/],
    ['an empty label', classifyOf(['a', ' ']), /empty/],
    ['a long label', classifyOf(['a', 'b'.repeat(201)]), /longer than 200/],
    [
      'a label twice',
      callOf({ kind: 'classify', labels: [{ label: 'a' }, { label: 'a' }], multi: false }, two),
      /twice/,
    ],
    ['too many labels', classifyOf(Array.from({ length: 251 }, (_, n) => `l${n}`)), /at most 250/],
    ['labels that are not the output', classifyOf(['a', 'c'], two), /one of its labels/],
    [
      'several labels as one',
      callOf({ kind: 'classify', labels, multi: true }, sampleCalls['classify']!.output),
      /list of its labels/,
    ],
    [
      'one label as several',
      callOf({ kind: 'classify', labels, multi: false }, sampleCalls['several']!.output),
      /one of its labels/,
    ],
    ['no field', structOf(), /1 to 100 fields/],
    ['too many fields', structOf(...Array.from({ length: 101 }, (_, n) => `f${n}`)), /1 to 100 fields/],
    ['fields that differ by case', structOf('a', 'A'), /given twice/],
    ['an empty field name', structOf('a', ''), /empty/],
    ['an extraction of text', callOf({ kind: 'extract' }, text), /struct/],
    ['an empty scale', callOf({ kind: 'score', min: 1, max: 1 }, { kind: 'number' }), /min below max/],
    ['a scale without end', callOf({ kind: 'score', min: 0, max: Infinity }, { kind: 'number' }), /min below max/],
    ['a score of text', callOf({ kind: 'score', min: 0, max: 1 }, text), /answers a number/],
    ['an enum of nothing', callOf({ kind: 'complete' }, { kind: 'enum', values: [] }), /at least one value/],
    ['an enum with a repeat', callOf({ kind: 'complete' }, { kind: 'enum', values: ['a', 'a'] }), /twice/],
    ['an impossible number', callOf({ kind: 'complete' }, { kind: 'number', min: 2, max: 1 }), /does not exist/],
    ['deep nesting', callOf({ kind: 'complete' }, nested(5)), /deeper/],
  ];
  it.each(bad)('refuses %s', (_, call, message) => {
    expect(() => validateCall(call)).toThrow(
      expect.objectContaining({ code: 'BadArgument', message: expect.stringMatching(message) }),
    );
  });
});
