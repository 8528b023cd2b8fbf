import { describe, expect, test } from 'vitest';
import { estimateTokens, likelyReplyTokens } from '../../../plans/cost/index.js';
import { semanticOperators } from '../../../plans/operators/index.js';
import { sampleCalls } from '../operators/calls.js';

describe('likely replies', () => {
  test.each(Object.entries(sampleCalls))('%s: at least one token, within its bound', (kind, call) => {
    const likely = likelyReplyTokens(call, 50);
    if (kind === 'transcribe' || kind === 'parse') expect(likely).toBeUndefined();
    else if (kind !== 'embed') {
      expect(likely).toBeGreaterThan(0);
      expect(likely).toBeLessThanOrEqual(semanticOperators[call.parameters.kind].maxOutputTokens(call));
    }
  });

  test('are as long as what endpoints write, within a half', () => {
    const filter = sampleCalls['filter']!;
    const written: readonly [reply: string, type: typeof filter.output][] = [
      ['{"answer": true}', { kind: 'boolean' }],
      ['{"answer": 4}', { kind: 'integer' }],
      ['{"answer": "2024-02-29"}', { kind: 'date' }],
      ['{"answer": "service brakes"}', { kind: 'enum', values: ['service brakes', 'air bags', 'tires'] }],
      [
        '{"answer": {"product": "a blue kettle with a lid", "count": 3}}',
        {
          kind: 'struct',
          fields: [
            { name: 'product', type: { kind: 'string' } },
            { name: 'count', type: { kind: 'integer' } },
          ],
        },
      ],
    ];
    for (const [reply, output] of written) {
      const likely = likelyReplyTokens({ ...filter, output }, 50) ?? 0;
      expect(likely / estimateTokens(reply), reply).toBeGreaterThan(0.5);
      expect(likely / estimateTokens(reply), reply).toBeLessThan(1.6);
    }
  });

  test('follow the words of a summary and the text of a translation', () => {
    const summary = sampleCalls['summarize']!;
    const short = likelyReplyTokens({ ...summary, parameters: { kind: 'summarize', maxWords: 10 } }, 500) ?? 0;
    const long = likelyReplyTokens({ ...summary, parameters: { kind: 'summarize', maxWords: 300 } }, 500) ?? 0;
    expect([short > 5 && short < 20, long > 200 && long < 500]).toEqual([true, true]);
    const translate: typeof summary = { ...summary, parameters: { kind: 'translate', to: 'de' } };
    expect(likelyReplyTokens(translate, 1000)).toBeGreaterThan(likelyReplyTokens(translate, 100)! * 5);
  });
});
