import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { requestFingerprint } from '../../../plans/operators/fingerprint.js';
import { semanticOperators } from '../../../plans/operators/registry.js';
import { attachMedia, buildRequest, repairRequest } from '../../../plans/operators/request.js';
import { validateCall } from '../../../plans/operators/validate.js';
import type { MediaRef, PromptRequest } from '../../../plans/protocol/model.js';
import { labels, sampleCalls } from './calls.js';

const calls = Object.entries(sampleCalls);
const image: MediaRef = { type: 'image', mediaType: 'image/png', hash: 'ab'.repeat(32) };

describe('buildRequest', () => {
  it.each(calls)('%s: the instruction is the same for every value, and short', (_, call) => {
    validateCall(call);
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(buildRequest(call, [a]).system).toBe(buildRequest(call, [b]).system);
      }),
      { numRuns: 20 },
    );
    const { system, maxOutputTokens, temperature, confidence, output } = buildRequest(call, ['x']);
    expect(system.length).toBeLessThan(260);
    expect(maxOutputTokens).toBeGreaterThan(8);
    expect({ temperature, confidence, output }).toEqual({ temperature: 0, confidence: false, output: call.output });
  });

  it('names labels with descriptions, fields with choices, and the scale', () => {
    expect(buildRequest(sampleCalls['classify']!, ['x']).system).toContain(
      '- brakes\n- engine: motor and cooling\n- seats',
    );
    expect(buildRequest(sampleCalls['extract']!, ['x']).system).toContain(
      '- speed: in mph\n- part\n  part: one of "brakes"',
    );
    expect(buildRequest(sampleCalls['score']!, ['x']).system).toMatch(/1 .*5/);
  });

  it.each([
    ['The complaint {0} reports a crash', 'Is it true that "The complaint [1] reports a crash"?'],
    ['Does {0} report a crash? ', 'Does [1] report a crash?'],
    ['{0}', 'Is it true?'],
  ])('asks the filter %j as a question, after the data', (template, question) => {
    const [part, ...others] = buildRequest({ ...sampleCalls['filter']!, template }, ['x']).content;
    expect(others).toEqual([]);
    expect(part).toMatchObject({
      text: expect.stringContaining(`</data>\n\n${question}\nReply with JSON: {"answer": true}`),
    });
  });

  it('takes options', () => {
    const options = { temperature: 0.5, seed: 3, confidence: true, maxOutputTokens: 2000 };
    expect(buildRequest(sampleCalls['filter']!, ['x'], options)).toMatchObject(options);
  });

  it('leaves room for the longest answer', () => {
    for (const [, call] of calls) {
      const type = call.output;
      const longest =
        type.kind === 'enum' || type.kind === 'list'
          ? JSON.stringify({ answer: labels.map(({ label }) => label) })
          : '{"answer": false}';
      expect(buildRequest(call, ['x']).maxOutputTokens).toBeGreaterThan(longest.length / 3);
    }
  });
});

describe('decode', () => {
  it('gives several labels without repeats and in the order of the call', () => {
    const { decode } = semanticOperators.classify;
    expect(decode('{"answer": ["seats", "Brakes", "seats"]}', sampleCalls['several']!)).toEqual({
      ok: true,
      value: ['brakes', 'seats'],
    });
    expect(decode('{"answer": ["wheels"]}', sampleCalls['several']!).ok).toBe(false);
  });

  it('refuses a score outside its scale', () => {
    const { decode } = semanticOperators.score;
    expect(decode('{"answer": 5}', sampleCalls['score']!)).toEqual({ ok: true, value: 5 });
    expect(decode('{"answer": 5.01}', sampleCalls['score']!).ok).toBe(false);
  });

  it('never throws, whatever the operator and the reply', () => {
    fc.assert(
      fc.property(fc.constantFrom(...calls), fc.oneof(fc.string(), fc.json()), ([, call], reply) => {
        expect(semanticOperators[call.parameters.kind].decode(reply, call)).toHaveProperty('ok');
      }),
    );
  });
});

describe('attachMedia', () => {
  it('puts bytes in place of hashes', () => {
    const request = buildRequest(sampleCalls['filter']!, [image]);
    const bytes = new Uint8Array([1, 2]);
    const { content, ...rest } = attachMedia(request, new Map([[image.hash, bytes]]));
    expect(content[1]).toEqual({ type: 'image', mediaType: 'image/png', bytes });
    expect(rest).toEqual({ ...request, content: undefined, ...rest });
    expect(() => attachMedia(request, new Map())).toThrow(/was not loaded/);
  });
});

describe('repairRequest', () => {
  it('says what was wrong and what to reply, and bounds what it quotes', () => {
    const request = buildRequest(sampleCalls['filter']!, ['x']);
    const repaired = repairRequest(request, 'maybe'.repeat(1000), '"maybe" is neither true nor false.');
    expect(repaired).toMatchObject({ system: request.system, content: request.content });
    expect(repaired.repair?.problem).toBe(
      '"maybe" is neither true nor false. Reply only with JSON: {"answer": true} or {"answer": false}',
    );
    expect(repaired.repair?.reply).toHaveLength(1000);
  });
});

describe('requestFingerprint', () => {
  const request: PromptRequest = {
    system: 'Judge.',
    content: [{ type: 'text', text: 'Is [1] "ok"?\n' }, image],
    output: { kind: 'number', min: 0, max: 1 },
    maxOutputTokens: 40,
    temperature: 0,
    confidence: false,
  };

  // a change of this value makes every user pay for every answer again
  it('is what it was in the first release', () => {
    expect(requestFingerprint('openai:gpt-4o-mini', request)).toBe(
      `{"confidence":false,"content":[{"text":"Is [1] \\"ok\\"?\\n"},{"image":"${image.hash}"}],"maxOutputTokens":40,` +
        '"model":"openai:gpt-4o-mini","output":{"kind":"number","max":1,"min":0},"replica":0,"system":"Judge.","temperature":0,"v":1}',
    );
  });

  it('does not depend on the order in which keys were written, nor on absent ones', () => {
    const { output, ...rest } = request;
    const other = { output: { max: 1, min: 0, kind: 'number' as const }, ...rest };
    expect(requestFingerprint('m', other)).toBe(requestFingerprint('m', request));
    expect(output).toEqual(other.output);
  });

  it('differs whenever anything differs that the answer depends on', () => {
    const variants: [string, PromptRequest, number?][] = [
      ['m', request],
      ['m2', request],
      ['m', request, 1],
      ['m', { ...request, system: 'Judge' }],
      ['m', { ...request, temperature: 0.1 }],
      ['m', { ...request, seed: 0 }],
      ['m', { ...request, maxOutputTokens: 41 }],
      ['m', { ...request, confidence: true }],
      ['m', { ...request, output: { kind: 'number', min: 0 } }],
      ['m', { ...request, content: [{ type: 'text', text: 'Is [1] "ok"?' }, image] }],
      ['m', { ...request, content: [request.content[0]!, { ...image, type: 'audio' }] }],
      ['m', { ...request, content: [request.content[0]!, { ...image, hash: 'cd'.repeat(32) }] }],
      ['m', { ...request, content: [request.content[0]!, { type: 'text', text: image.hash }] }],
      ['m', { ...request, repair: { reply: 'a', problem: 'b' } }],
    ];
    const keys = variants.map(([model, variant, replica]) => requestFingerprint(model, variant, replica));
    expect(new Set(keys).size).toBe(variants.length);
  });

  it('does not depend on how a file is named: the same bytes are the same picture', () => {
    const renamed = { ...request, content: [request.content[0]!, { ...image, mediaType: '' }] };
    expect(requestFingerprint('m', renamed)).toBe(requestFingerprint('m', request));
  });
});
