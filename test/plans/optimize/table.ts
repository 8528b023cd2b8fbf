/** Tables of a search made by hand. */
import { spaceOf } from '../../../plans/optimize/space.js';
import type { Contender, SampleAnswer, SearchTable } from '../../../plans/optimize/table.js';
import type { JsonValue } from '../../../plans/protocol/json.js';

export const answer = (value: JsonValue, usd = 0, confidence?: number): SampleAnswer => ({
  state: 'ok',
  value,
  usd,
  ...(confidence === undefined ? {} : { confidence }),
});
export const none: SampleAnswer = { state: 'none', usd: 0 };

export function model(name: string, seconds: number, answers: readonly SampleAnswer[]): Contender {
  return { implementation: { family: 'general', name, model: name, usd: 0, seconds }, seconds, answers };
}

export function rules(answers: readonly SampleAnswer[]): Contender {
  const program = { kind: 'list', rules: [], otherwise: { label: 'true', confidence: 1 } } as const;
  return { implementation: { family: 'symbolic', name: 'rules', program, usd: 0, seconds: 0 }, seconds: 0, answers };
}

/** Rows in the order of their difficulty; the last contender is the default model. */
export function tableOf(contenders: readonly Contender[], labels: readonly JsonValue[]): SearchTable {
  return {
    v: 1,
    signature: 's',
    metric: 'accuracy',
    weights: { quality: 1, latency: 0.4, cost: 0.3 },
    seed: 1,
    labels,
    percentiles: labels.map((_, row) => (row + 1) / labels.length),
    scorer: { form: 'linear', bias: 0.5, terms: [] },
    contenders,
    direct: contenders.length - 1,
    starts: [],
  };
}

/** A configuration of the table's space: masses, and the thresholds that it has, in their order. */
export function configuration(table: SearchTable, masses: readonly number[], thresholds: readonly number[] = []) {
  const [router, ...others] = spaceOf(table).parameters;
  return {
    [router!.name]: masses,
    ...Object.fromEntries(others.map(({ name }, at) => [name, thresholds[at] ?? 0])),
  };
}
