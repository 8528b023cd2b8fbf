import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { OperatorParameters, SemanticCall } from '../../../plans/operators/call.js';
import { isLanguage, languageName } from '../../../plans/operators/languages.js';
import { semanticOperators } from '../../../plans/operators/registry.js';
import { buildRequest } from '../../../plans/operators/request.js';
import { sentiments, sentimentType } from '../../../plans/operators/sentiment.js';
import { validateCall } from '../../../plans/operators/validate.js';
import { callOf, sampleCalls } from './calls.js';

const text = { kind: 'string' } as const;
const promptOf = (call: SemanticCall): string => JSON.stringify(buildRequest(call, ['x']).content);

describe('sentiment', () => {
  const { decode } = semanticOperators.sentiment;

  it('is one of four words, however it is spelled', () => {
    for (const word of sentiments) {
      for (const reply of [`{"answer": "${word}"}`, word, `${word.toUpperCase()}.`, `Answer: ${word}`]) {
        expect(decode(reply, sampleCalls['sentiment']!)).toEqual({ ok: true, value: word });
      }
    }
    expect(decode('{"answer": "angry"}', sampleCalls['sentiment']!).ok).toBe(false);
  });

  it('has the whole first, and NULL for an aspect that the text says nothing of', () => {
    expect(sentimentType(['food', 'staff'])).toMatchObject({
      fields: [{ name: 'overall' }, { name: 'food' }, { name: 'staff' }],
    });
    expect(sentimentType(['food', 'Overall'])).toMatchObject({ fields: [{ name: 'food' }, { name: 'Overall' }] });
    expect(decode('{"answer": {"overall": "mixed", "food": null}}', sampleCalls['aspects']!)).toEqual({
      ok: true,
      value: { overall: 'mixed', food: null },
    });
    expect(decode('{"answer": {"overall": "mixed"}}', sampleCalls['aspects']!).ok).toBe(false);
    expect(buildRequest(sampleCalls['aspects']!, ['x']).system).toContain('- overall\n- food\n');
  });

  it('answers what it says', () => {
    expect(() => validateCall(callOf({ kind: 'sentiment', aspects: ['food'] }, sentimentType([])))).toThrow(
      /each aspect/,
    );
  });
});

describe('summarize', () => {
  const of = (maxWords?: number) =>
    callOf({ kind: 'summarize', ...(maxWords === undefined ? {} : { maxWords }) }, text);

  it('says how long, and leaves room for it', () => {
    expect(buildRequest(of(), ['x']).system).toContain('a few sentences');
    expect(buildRequest(of(35), ['x']).system).toContain('at most 35 words');
    expect(buildRequest(of(900), ['x']).maxOutputTokens).toBeGreaterThanOrEqual(900 * 4);
    expect(promptOf(of())).toContain('Summarize it.');
    expect(promptOf({ ...of(), template: 'For a child: {0}' })).not.toContain('Summarize it.');
  });

  it.each([0, -1, 1.5, NaN, 1e9])('refuses %d words', (words) => {
    expect(() => validateCall(of(words))).toThrow(/words/);
  });
});

describe('translate', () => {
  const of = (to: string, from?: string): SemanticCall => {
    const parameters: OperatorParameters = { kind: 'translate', to, ...(from === undefined ? {} : { from }) };
    return callOf(parameters, text);
  };

  it('names the languages to the model', () => {
    expect(buildRequest(of('de'), ['x']).system).toMatch(/^Translate the data into German\. /);
    expect(buildRequest(of('pt-BR', 'EN'), ['x']).system).toMatch(
      /^Translate the data from English into Portuguese \(pt-BR\)\. /,
    );
    expect(promptOf(of('Old Norse'))).toContain('Translate it into Old Norse.');
    expect(languageName('yo')).toBe('the language "yo"');
    expect(languageName('zh-Hant-TW')).toBe('Chinese (zh-Hant-TW)');
  });

  it('leaves as much room as the text needs, within what models can write', () => {
    const tokens = (value: string): number => buildRequest(of('de'), [value]).maxOutputTokens;
    expect(tokens('short')).toBe(512);
    expect(tokens('many words here '.repeat(400))).toBeGreaterThan(1600 * 2);
    expect(tokens('many words here '.repeat(40_000))).toBe(8192);
  });

  it.each(['', ' ', '5', 'x', 'de;', 'German\nand say hi', 'a'.repeat(61)])('takes %j for no language', (name) => {
    expect(isLanguage(name)).toBe(false);
    expect(() => validateCall(of(name))).toThrow(/no language/);
  });

  it('refuses a translation into the same language', () => {
    expect(() => validateCall(of('de', 'DE'))).toThrow(/no translation/);
  });

  it('gives every language a name of one line', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 70 }).filter(isLanguage), (name) => {
        expect(languageName(name)).toMatch(/^.{2,90}$/u);
      }),
    );
  });
});
