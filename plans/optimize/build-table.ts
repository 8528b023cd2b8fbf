/** From the answers of models to the table that trials are computed from. */
import { metricOf } from '../evaluation/metrics.js';
import type { OperatorKind } from '../operators/call.js';
import type { OutputType } from '../operators/output.js';
import { inputFeatures, inputName, ruleRow } from '../physical/routed/inputs.js';
import { byCost } from '../physical/router/buckets.js';
import { difficulties } from '../physical/router/fit-scorer.js';
import { percentileRanks } from '../physical/router/percentiles.js';
import type { JsonValue } from '../protocol/json.js';
import type { Weights } from '../tuning/objective/objective.js';
import { crossFitRules, crossFitScorer } from './cross-fit.js';
import { isRight } from './right.js';
import type { TriedSetting } from './settings.js';
import { startsOf } from './starts.js';
import type { Contender, SampleAnswer, SearchTable } from './table.js';

/** What a model answered; `ms` as long as the call took. */
export interface ModelAnswers {
  readonly model: string;
  readonly answers: readonly (SampleAnswer & { readonly ms: number })[];
}

export interface SampleFacts {
  readonly signature: string;
  readonly operator: OperatorKind;
  readonly output: OutputType;
  readonly weights: Weights;
  readonly seed: number;
  /** Texts of each row of the sample. */
  readonly inputs: readonly (readonly string[])[];
  readonly labels: readonly JsonValue[];
  /** The default model is the first. */
  readonly models: readonly [ModelAnswers, ...ModelAnswers[]];
  /** What earlier searches for the question found best. */
  readonly earlier?: readonly TriedSetting[];
}

export function buildTable(facts: SampleFacts): SearchTable {
  const { inputs, labels, output, seed, models } = facts;
  const rules = rulesContender(facts);
  const all = [...models.map(modelContender), ...(rules === undefined ? [] : [rules])];
  const contenders = byCost(all.map((contender) => ({ ...contender.implementation, contender }))).map(
    ({ contender }) => contender,
  );
  const right = contenders.map(({ answers }) =>
    answers.map((answer, row) => answer.state === 'ok' && isRight(answer.value, labels[row] ?? null, output)),
  );
  const { scorer, scores } = crossFitScorer(inputFeatures(inputs), difficulties(right), seed);
  const table = {
    v: 1,
    signature: facts.signature,
    metric: metricOf[facts.operator],
    weights: facts.weights,
    seed,
    labels,
    percentiles: Array.from(percentileRanks(scores)),
    scorer,
    contenders,
    direct: contenders.findIndex(({ implementation }) => implementation.name === models[0].model),
  } as const;
  return { ...table, starts: startsOf(table, right, facts.earlier ?? []) };
}

function modelContender({ model, answers }: ModelAnswers): Contender {
  const made = answers.filter(({ state }) => state === 'ok');
  const mean = (of: (answer: (typeof answers)[number]) => number): number =>
    made.reduce((sum, answer) => sum + of(answer), 0) / Math.max(1, made.length);
  const seconds = mean(({ ms }) => ms / 1000);
  return {
    implementation: { family: 'general', name: model, model, usd: mean(({ usd }) => usd), seconds },
    seconds: coarse(seconds),
    answers: answers.map(({ ms: _, ...answer }) => answer),
  };
}

/** 1, 2 or 5 times a power of ten, from a millisecond up: the nearest on a logarithmic scale. */
export function coarse(seconds: number): number {
  if (seconds < 0.001) return seconds <= 0 ? 0 : 0.001;
  const power = 10 ** Math.floor(Math.log10(seconds));
  const distance = (step: number): number => Math.abs(Math.log(seconds / (step * power)));
  return [1, 2, 5, 10].reduce((a, b) => (distance(b) < distance(a) ? b : a)) * power;
}

/** Rules answer yes or no, or one of several labels; undefined where they cannot, or nothing can be learned. */
function rulesContender({ output, inputs, labels, seed, models }: SampleFacts): Contender | undefined {
  if (output.kind !== 'boolean' && output.kind !== 'enum') return undefined;
  const fitted = crossFitRules(
    inputs.map(ruleRow),
    labels.map((label) => (typeof label === 'string' ? label : JSON.stringify(label))),
    { texts: (inputs[0] ?? []).map((_, at) => inputName(at)), numbers: [] },
    seed,
  );
  if (fitted === undefined) return undefined;
  const name = models.some(({ model }) => model === 'rules') ? 'induced rules' : 'rules';
  return {
    implementation: { family: 'symbolic', name, program: fitted.program, usd: 0, seconds: 0 },
    seconds: 0,
    answers: fitted.answers.map(({ label, confidence }) => ({
      state: 'ok',
      value: output.kind === 'boolean' ? label === 'true' : label,
      confidence,
      usd: 0,
    })),
  };
}
