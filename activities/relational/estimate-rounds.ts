/** What a call that is answered in rounds will ask. */
import type { SemanticCall } from '../../plans/operators/call.js';
import { comparedText } from '../../plans/operators/dedup.js';
import { dataText, itemText, renderItems } from '../../plans/operators/items.js';
import { parametersOf } from '../../plans/operators/operator.js';
import { bandSize, pairsOf } from '../../plans/physical/dedup/asking.js';
import {
  aggregateCall,
  classifyCall,
  compareCall,
  rankCall,
  sameCall,
} from '../../plans/physical/rounds/round-calls.js';
import { type Item, packItems } from '../../plans/physical/rounds/pack.js';
import { foldQuestions, topQuestions } from '../../plans/physical/rounds/questions.js';
import { windowFor } from '../../plans/physical/rounds/capacity.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import type { Range } from '../../plans/protocol/run.js';
import type { RoundsSchedule } from '../../plans/protocol/strategy.js';
import type { InputRow } from '../ports.js';

/** The questions of a call: how many, and those of the first round, or some like them. */
export interface RoundQuestions {
  readonly questions: Range;
  readonly call: SemanticCall;
  readonly sample: readonly InputRow[];
  /** Whether the sample is what will be asked, so that the ledger may have its answers. */
  readonly exact: boolean;
}

/** Groups of keys that are answers of other calls. */
const unknownGroups = 10;
/** Share of near pairs that are asked about before hardly any is the same. */
const askedShare = 0.6;
/** Labels that a model finds when their number is left to it. */
const unknownLabels = 8;

/** What is known of the inputs of a call before it runs. */
interface KnownInputs {
  /** All of them, or the first. */
  readonly rows: readonly InputRow[];
  /** How many there are. */
  readonly inputs: number;
  /** Whether the keys of an aggregate are columns. */
  readonly groupsKnown: boolean;
}

export async function roundQuestions(
  { call }: PlannedCall,
  rounds: RoundsSchedule,
  { rows, inputs, groupsKnown }: KnownInputs,
): Promise<RoundQuestions> {
  if (call.fold !== undefined) return foldEstimate(call, rounds, { rows, inputs, groupsKnown });
  if (rounds.kind === 'labels') return labelsEstimate(call, rows, inputs);
  if (rounds.kind === 'pairs') return pairsEstimate(call, rows, inputs);
  const least = rounds.top?.least ?? false;
  const texts = rows.map(({ values }) => dataText(call, values));
  const window = windowFor(rounds.tokens, texts);
  const questions = topQuestions(rounds, inputs, window);
  const lists = rounds.kind === 'listwise';
  const asked = lists ? rankCall(call, least, window) : compareCall(call, least);
  const width = lists ? window : 2;
  const sample: InputRow[] = [];
  for (let at = 0; at + width <= texts.length; at += width) {
    const items = texts.slice(at, at + width);
    sample.push({ in: sample.length, n: 1, values: lists ? [renderItems(items)] : items });
  }
  return { questions, call: asked, sample, exact: false };
}

async function foldEstimate(
  call: SemanticCall,
  rounds: RoundsSchedule,
  { rows, inputs, groupsKnown }: KnownInputs,
): Promise<RoundQuestions> {
  const items = rows.map(({ values }): Item => ({ group: Number(values[0]), text: itemText(call, values.slice(1)) }));
  const chunks = new Map<number, number>();
  const sample: InputRow[] = [];
  for await (const chunk of packItems(items, { tokens: rounds.tokens })) {
    chunks.set(chunk.group, chunk.index + 1);
    const stage = chunk.index === 0 && chunk.last ? 'whole' : 'part';
    sample.push({ in: sample.length, n: 1, values: [renderItems(chunk.items), stage, String(chunk.group)] });
  }
  const scale = rows.length === 0 ? 1 : inputs / rows.length;
  const counts = [...chunks.values()];
  // a fold's later questions depend on its earlier answers
  const exact = groupsKnown && scale === 1 && (rounds.kind === 'tree' || counts.every((count) => count === 1));
  const { low, expected, high } = foldQuestions(rounds, counts);
  const found = { low: low * scale, expected: expected * scale, high: high * scale };
  const questions = groupsKnown
    ? found
    : {
        low: found.low,
        expected: Math.min(inputs, found.expected + unknownGroups),
        high: Math.max(found.high, inputs),
      };
  return { questions, call: aggregateCall(call), sample, exact };
}

/** Which pairs are near is not known before there are vectors: about as many as so many inputs have near them. */
function pairsEstimate(call: SemanticCall, rows: readonly InputRow[], inputs: number): RoundQuestions {
  const { neighbours, keys } = parametersOf(call, 'dedup');
  const sizes = new Map<string, number>();
  for (const { values } of rows) {
    const key = keys === 0 ? '' : JSON.stringify(values.slice(-keys));
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  const scale = rows.length === 0 ? 1 : inputs / rows.length;
  const blocks = rows.length === 0 ? [inputs] : [...sizes.values()].map((size) => size * scale);
  const sum = (of: (pairs: ReturnType<typeof pairsOf>) => number): number =>
    blocks.reduce((total, size) => total + of(pairsOf(size, neighbours)), 0);
  const { usual, most } = { usual: sum((pairs) => pairs.usual), most: sum((pairs) => pairs.most) };
  const texts = rows.map(({ values }) => comparedText(call, values));
  const sample = texts.slice(1).map((text, at) => ({ in: at, n: 1, values: [texts[at] ?? '', text] }));
  return {
    questions: { low: Math.min(usual, bandSize(usual)), expected: askedShare * usual, high: most },
    ...{ call: sameCall(call), sample, exact: false },
  };
}

/** What is embedded before the pairs of a dedup. */
export function vectorInputs(call: SemanticCall, rows: readonly InputRow[]): readonly InputRow[] {
  return rows.map((row) => ({ ...row, values: [comparedText(call, row.values)] }));
}

function labelsEstimate(call: SemanticCall, rows: readonly InputRow[], inputs: number): RoundQuestions {
  const count = call.parameters.kind === 'group' ? call.parameters.count : undefined;
  const questions = inputs === 0 ? 0 : count === 1 ? 1 : 1 + inputs;
  const names = Array.from({ length: Math.max(2, count ?? unknownLabels) }, (_, at) => `a label of words ${at}`);
  return {
    questions: { low: Math.min(1, questions), expected: questions, high: questions },
    ...{ call: classifyCall(call, names), sample: rows, exact: false },
  };
}
