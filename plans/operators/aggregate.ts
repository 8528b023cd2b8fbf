import type { SemanticCall } from './call.js';
import { decodeAnswer } from './decode.js';
import { asWritten, badCall, parametersOf, type SemanticOperator } from './operator.js';
import { replyTokens } from './shape.js';

/**
 * What one question of an aggregate holds: the `whole` group; a `part` of it; results of parts, of some (`merge`) or of all
 * (`final`); or the result so far with `more` items, or the `last` ones.
 */
export const aggregateStages = ['whole', 'part', 'merge', 'final', 'more', 'last'] as const;
export type AggregateStage = (typeof aggregateStages)[number];

const keep = 'Reply with an intermediate result that keeps all that is needed to do the task over the whole set';

const questions: Readonly<Record<AggregateStage, (task: string) => string>> = {
  whole: (task) => task,
  part: (task) => `The items are one part of a larger set. The task for the whole set:\n${task}\n${keep}.`,
  merge: (task) =>
    `Each item is an intermediate result for a part of a set; there are further parts. The task for the whole set:\n${task}\n` +
    `${keep}: join these into one.`,
  final: (task) =>
    `Each item is an intermediate result for a part of a set, in the order of the parts. Join them into the result for the ` +
    `whole set. The task:\n${task}`,
  more: (task) =>
    `Item [1] is the intermediate result for the set so far, the others are further items of it; more will follow. The task ` +
    `for the whole set:\n${task}\n${keep}.`,
  last: (task) =>
    `Item [1] is the intermediate result for the set so far, the others are its last items. Give the result for the whole ` +
    `set. The task:\n${task}`,
};

/** Stages whose answer is the group's. */
export const finalStages: ReadonlySet<AggregateStage> = new Set(['whole', 'final', 'last']);

/** `AI_AGG`: one text out of all the items of a group. Inputs: the packed items, and the stage. */
export const aggregate: SemanticOperator = {
  system: () => 'Do the task over all the items together. Reply with the result only.',
  ask: asWritten,
  render: ([items = '', stage], call) => `${items}\n\n${question(call, stage)}`,
  maxOutputTokens: (call) => replyTokens(call.output),
  decode: (reply, call) => decodeAnswer(reply, call.output),
  check: (call) => {
    const { instruction } = parametersOf(call, 'aggregate');
    if (instruction.trim() === '') throw badCall(call, 'The instruction of an aggregate is empty.');
    if (call.output.kind !== 'string') throw badCall(call, 'An aggregate answers text.');
    checkTexts(call);
  },
};

function question(call: SemanticCall, stage = 'whole'): string {
  const known = aggregateStages.find((candidate) => candidate === stage) ?? 'whole';
  return questions[known](parametersOf(call, 'aggregate').instruction);
}

/** Operators that put several tuples into one prompt take texts. */
export function checkTexts(call: SemanticCall): void {
  const medium = call.inputs.find(({ modality }) => modality !== 'text');
  if (medium === undefined) return;
  throw badCall(
    call,
    `${medium.label} is ${medium.modality}, and several tuples share one prompt here: they must be texts.`,
    "Describe each first: AI_AGG(AI_COMPLETE('What does {photo} show?'), '…').",
  );
}
