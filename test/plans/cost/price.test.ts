import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { priceOf, promptTokens, worstCase } from '../../../plans/cost/price.js';
import { buildRequest, repairRequest } from '../../../plans/operators/request.js';
import type { Price } from '../../../plans/protocol/model.js';
import { sampleCalls } from '../operators/calls.js';

const tokens: Price = { unit: 'tokens', inputPerMTok: 0.15, outputPerMTok: 0.6 };
const hour: Price = { unit: 'hour', usdPerHour: 3.6 };

describe('priceOf', () => {
  it('counts tokens by the million and compute by the hour', () => {
    expect(priceOf({ inputTokens: 2_000_000, outputTokens: 1_000_000 }, tokens, 5)).toBeCloseTo(0.9, 12);
    expect(priceOf({ inputTokens: 9, outputTokens: 9 }, hour, 1000)).toBeCloseTo(0.001, 12);
    expect(priceOf(undefined, hour, 1000)).toBeCloseTo(0.001, 12);
  });

  it('leaves unknown what is unknown, and tells it from free', () => {
    expect(priceOf({ inputTokens: 1, outputTokens: 1 }, undefined, 1)).toBeUndefined();
    // palimpzest/issues/172: an endpoint that reports no usage
    expect(priceOf(undefined, tokens, 1)).toBeUndefined();
    expect(priceOf({ inputTokens: 1, outputTokens: 1 }, { unit: 'tokens', inputPerMTok: 0, outputPerMTok: 0 }, 1)).toBe(
      0,
    );
  });
});

describe('worstCase', () => {
  const operators = Object.values(sampleCalls);

  it('is never below the expected price, grows with the text, and covers a repair', () => {
    fc.assert(
      fc.property(fc.constantFrom(...operators), fc.string({ unit: 'grapheme' }), fc.string(), (call, text, more) => {
        const request = buildRequest(call, [text]);
        const worst = worstCase(request, tokens);
        const expected = { inputTokens: promptTokens(request), outputTokens: request.maxOutputTokens };
        expect(worst.usd).toBeGreaterThanOrEqual(priceOf(expected, tokens, 0)!);
        expect(worst.tokens).toBeGreaterThanOrEqual(expected.inputTokens + expected.outputTokens);
        expect(worstCase(buildRequest(call, [text + more]), tokens).tokens).toBeGreaterThanOrEqual(worst.tokens);
        expect(worstCase(repairRequest(request, more, 'No.'), tokens).tokens).toBeGreaterThan(worst.tokens);
      }),
    );
  });

  it('sets time aside for compute by the hour, tokens alone for an unknown price', () => {
    const request = buildRequest(sampleCalls['filter']!, ['x']);
    expect(worstCase(request, hour, 2000).usd).toBeCloseTo(0.002, 12);
    expect(worstCase(request, undefined)).toEqual({ usd: 0, tokens: worstCase(request, tokens).tokens });
  });

  it('counts images', () => {
    const image = { type: 'image', mediaType: 'image/png', hash: 'ab'.repeat(32) } as const;
    expect(promptTokens(buildRequest(sampleCalls['filter']!, [image]))).toBeGreaterThan(1000);
  });
});
