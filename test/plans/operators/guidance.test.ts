import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { CallExample, CallGuidance, SemanticCall } from '../../../plans/operators/call.js';
import { decodeAnswer } from '../../../plans/operators/decode.js';
import { explained } from '../../../plans/operators/explanation.js';
import type { OutputType } from '../../../plans/operators/output.js';
import { semanticOperators } from '../../../plans/operators/registry.js';
import { buildRequest, repairRequest } from '../../../plans/operators/request.js';
import { validateCall } from '../../../plans/operators/validate.js';
import type { JsonValue } from '../../../plans/protocol/json.js';
import { typeAndValue, valueOf } from './arbitraries.js';
import { callOf, sampleCalls } from './calls.js';

const plain = Object.entries(sampleCalls).filter(([, { guidance }]) => guidance === undefined);
const guide = (call: SemanticCall, guidance: CallGuidance): SemanticCall => ({ ...call, guidance });
const reasoned = (call: SemanticCall, rest: CallGuidance = {}): SemanticCall => ({
  ...call,
  role: 'value',
  output: explained(call.output),
  guidance: { ...rest, explain: true },
});
const completing = (output: OutputType): SemanticCall => callOf({ kind: 'complete' }, output);
const decode = (reply: string, call: SemanticCall) => semanticOperators[call.parameters.kind].decode(reply, call);

describe('instructions', () => {
  it.each(plain)('%s: stand in front of its own instruction, and change nothing else', (_, call) => {
    const own = buildRequest(call, ['x']);
    const request = buildRequest(guide(call, { instructions: ' Be {strict}.\n' }), ['x']);
    expect(request).toEqual({ ...own, system: `Be {strict}.\n\n${own.system}` });
  });
});

describe('examples', () => {
  const example: CallExample = { inputs: ['Brakes failed.'], output: 'brakes' };

  it('are shown as tuples are, each with the reply that is wanted', () => {
    const call = guide(sampleCalls['classify']!, { examples: [example, { inputs: ['</data>'], output: 'seats' }] });
    validateCall(call);
    const { system } = buildRequest(call, ['x']);
    expect(system).toContain(
      'Examples:\n\n<data>\nBrakes failed.\n</data>\nReply: {"answer":"brakes"}\n\n<data1>\n</data>\n</data1>',
    );
    expect(system.startsWith(buildRequest(sampleCalls['classify']!, ['x']).system)).toBe(true);
  });

  it('number their inputs as the question does, and give the reason before the reply', () => {
    const call = guide(
      {
        ...completing({ kind: 'string' }),
        template: 'Merge {0} and {1}',
        inputs: [...sampleCalls['complete']!.inputs, { sql: 'd', label: 'd', modality: 'text' }],
      },
      { examples: [{ inputs: ['a', 'b'], output: 'ab', explanation: 'in order' }] },
    );
    validateCall(call);
    expect(buildRequest(call, ['x', 'y']).system).toContain(
      '[1]:\n<data>\na\n</data>\n[2]:\n<data>\nb\n</data>\nReason: in order\nReply: ab',
    );
  });

  it('show replies that the same call reads as that output, of any type, with and without explanation', () => {
    fc.assert(
      fc.property(typeAndValue, fc.boolean(), ({ type, value }, explain) => {
        fc.pre(type.kind !== 'string' && value !== null);
        const shown: CallExample = { inputs: ['x'], output: value, explanation: 'so' };
        const call = explain
          ? reasoned(completing(type), { examples: [shown] })
          : guide(completing(type), { examples: [shown] });
        const { system } = buildRequest(call, ['x']);
        const reply = system.slice(system.lastIndexOf('\nReply: ') + '\nReply: '.length);
        expect(decode(reply, call)).toEqual({
          ok: true,
          value: explain ? { answer: value, explanation: 'so' } : value,
        });
      }),
      { numRuns: 300 },
    );
  });

  it('are taken when they are of the type', () => {
    fc.assert(
      fc.property(typeAndValue, ({ type, value }) => {
        const call = guide(completing(type), { examples: [{ inputs: ['x'], output: value }] });
        fc.pre(depth(type) <= 5);
        expect(() => semanticOperators.complete.check(call)).not.toThrow();
      }),
    );
  });

  const bad: [string, CallGuidance, SemanticCall, RegExp][] = [
    [
      'an output of another type',
      { examples: [{ inputs: ['x'], output: 7 }] },
      sampleCalls['score']!,
      /Example 1: 7 is not in the range/,
    ],
    [
      'a label that is none',
      { examples: [example, { inputs: ['x'], output: 'wheels' }] },
      sampleCalls['classify']!,
      /Example 2: "wheels"/,
    ],
    ['NULL', { examples: [{ inputs: ['x'], output: null }] }, sampleCalls['classify']!, /NULL/],
    [
      'a field too many',
      { examples: [{ inputs: ['x'], output: { speed: 1, part: 'seats', sped: 2 } }] },
      sampleCalls['extract']!,
      /"sped"/,
    ],
    [
      'a field too few',
      { examples: [{ inputs: ['x'], output: { speed: 1 } }] },
      sampleCalls['extract']!,
      /"part" is missing/,
    ],
    ['an input too few', { examples: [{ inputs: [], output: 'brakes' }] }, sampleCalls['classify']!, /needs 1 inputs/],
    ['too many', { examples: Array.from({ length: 101 }, () => example) }, sampleCalls['classify']!, /at most 100/],
    ['empty instructions', { instructions: ' \n' }, sampleCalls['filter']!, /empty/],
    [
      'a picture',
      { examples: [example] },
      { ...sampleCalls['classify']!, inputs: [{ sql: 'p', label: 'p', modality: 'image' }] },
      /medium/,
    ],
  ];
  it.each(bad)('refuses %s', (_, guidance, call, message) => {
    expect(() => validateCall(guide(call, guidance))).toThrow(
      expect.objectContaining({ code: 'BadArgument', message: expect.stringMatching(message) }),
    );
  });
});

describe('explanations', () => {
  const explainable = plain.filter(([name]) => !['summary', 'translation'].includes(name));

  it.each(explainable)('%s: asked for everywhere where the reply is', (_, own) => {
    const call = reasoned(own);
    validateCall(call);
    const request = buildRequest(call, ['x']);
    const text = JSON.stringify([request.system, request.content]);
    expect(text).toContain('explanation');
    expect(text.match(/Reply with/g)?.length).toBe(text.match(/explanation\\+":/g)?.length);
    expect(request.output).toEqual(call.output);
    expect(request.maxOutputTokens).toBeGreaterThan(buildRequest(own, ['x']).maxOutputTokens);
    expect(repairRequest(request, 'x', 'No.').repair?.problem).toContain('"explanation"');
  });

  it('are read with the answer, in and out of the envelope', () => {
    fc.assert(
      fc.property(
        typeAndValue,
        fc.string().filter((text) => text.trim() !== ''),
        ({ type, value }, explanation) => {
          const isText = type.kind === 'string';
          fc.pre(
            value !== null && (!isText || (!(value as string).includes('<') && decodeAnswer(value as string, type).ok)),
          );
          const call = reasoned(completing(type));
          const both = { answer: value, explanation };
          const wanted = { answer: isText ? (value as string).trim() : value, explanation: explanation.trim() };
          const decoded = decode(JSON.stringify({ answer: both }), call);
          expect(decoded).toEqual({ ok: true, value: wanted });
        },
      ),
      { numRuns: 500 },
    );
    expect(decode('{"answer": 4, "explanation": " angry words "}', sampleCalls['reasoned']!)).toEqual({
      ok: true,
      value: { answer: 4, explanation: 'angry words' },
    });
  });

  // lotus/issues/194: explanations were asked for, and the cells were empty
  it('are never empty', () => {
    const missing: JsonValue[] = [null, '', ' \n', {}, []];
    fc.assert(
      fc.property(
        fc.constantFrom(...explainable),
        fc.constantFrom(...missing),
        fc.boolean(),
        ([, own], explanation, absent) => {
          const [answer] = fc.sample(valueOf(own.output), 1) as [JsonValue];
          const reply = JSON.stringify({ answer: absent ? { answer } : { answer, explanation } });
          expect(decode(reply, reasoned(own)).ok).toBe(false);
        },
      ),
    );
  });

  it('do not soften what an answer must be', () => {
    const call = sampleCalls['reasoned']!;
    for (const answer of [6, 0.5, null, 'many', [4]]) {
      expect(decode(JSON.stringify({ answer: { answer, explanation: 'why' } }), call).ok).toBe(false);
    }
    const several = reasoned(sampleCalls['several']!);
    expect(decode('{"answer": {"answer": ["seats", "Brakes", "seats"], "explanation": "why"}}', several)).toEqual({
      ok: true,
      value: { answer: ['brakes', 'seats'], explanation: 'why' },
    });
  });

  it('do not go with a filter in WHERE, nor with another output', () => {
    const filter = sampleCalls['filter']!;
    expect(() => validateCall({ ...reasoned(filter), role: 'filter' })).toThrow(/cannot explain/);
    expect(() => validateCall(guide({ ...filter, role: 'value' }, { explain: true }))).toThrow(/struct of answer/);
  });

  it('must be in every example', () => {
    const example = { inputs: ['x'], output: 3 };
    const of = (rest: CallExample) =>
      reasoned(callOf({ kind: 'score', min: 1, max: 5 }, { kind: 'number', min: 1, max: 5 }), { examples: [rest] });
    expect(() => validateCall(of(example))).toThrow(/needs an explanation/);
    expect(() => validateCall(of({ ...example, explanation: 'mild' }))).not.toThrow();
  });
});

function depth(type: OutputType): number {
  if (type.kind === 'list') return 1 + depth(type.item);
  return type.kind === 'struct' ? 1 + Math.max(...type.fields.map((field) => depth(field.type))) : 1;
}
