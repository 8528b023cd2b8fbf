import type { OperatorParameters, SemanticCall } from '../../../plans/operators/call.js';
import { explained } from '../../../plans/operators/explanation.js';
import type { OutputType } from '../../../plans/operators/output.js';
import { sentimentType } from '../../../plans/operators/sentiment.js';

/** A call over one text column, with the parts of it that a test is about. */
export function callOf(
  parameters: OperatorParameters,
  output: OutputType,
  rest: Partial<SemanticCall> = {},
): SemanticCall {
  return {
    id: 'c0',
    role: 'value',
    parameters,
    template: '{0}',
    inputs: [{ sql: 'c.summary', label: 'summary', modality: 'text' }],
    output,
    position: 7,
    ...rest,
  };
}

export const labels = [{ label: 'brakes' }, { label: 'engine', description: 'motor and cooling' }, { label: 'seats' }];
const values = labels.map(({ label }) => label);

export const sampleCalls: Record<string, SemanticCall> = {
  filter: callOf(
    { kind: 'filter' },
    { kind: 'boolean' },
    { role: 'filter', template: 'The complaint {0} reports a crash' },
  ),
  classify: callOf({ kind: 'classify', labels, multi: false }, { kind: 'enum', values }),
  several: callOf({ kind: 'classify', labels, multi: true }, { kind: 'list', item: { kind: 'enum', values } }),
  extract: callOf(
    { kind: 'extract' },
    {
      kind: 'struct',
      fields: [
        { name: 'speed', type: { kind: 'integer' }, description: 'in mph' },
        { name: 'part', type: { kind: 'enum', values } },
      ],
    },
  ),
  complete: callOf({ kind: 'complete' }, { kind: 'string' }, { template: 'Summarize {0}' }),
  typed: callOf({ kind: 'complete' }, { kind: 'list', item: { kind: 'date' } }, { template: 'Dates in {0}' }),
  score: callOf(
    { kind: 'score', min: 1, max: 5 },
    { kind: 'number', min: 1, max: 5 },
    { template: 'How angry is {0}?' },
  ),
  sentiment: callOf({ kind: 'sentiment', aspects: [] }, sentimentType([])),
  aspects: callOf({ kind: 'sentiment', aspects: ['food'] }, sentimentType(['food'])),
  summary: callOf({ kind: 'summarize', maxWords: 40 }, { kind: 'string' }),
  translation: callOf({ kind: 'translate', to: 'de' }, { kind: 'string' }),
  reasoned: callOf({ kind: 'score', min: 1, max: 5 }, explained({ kind: 'number', min: 1, max: 5 }), {
    guidance: { explain: true },
  }),
};
