/** The calls that rounds ask: made from the user's call, each over inputs of our own making. */
import type { CallInput, SemanticCall } from '../../operators/call.js';
import { comparison } from '../../operators/compare.js';
import { criterionText } from '../../operators/items.js';
import { parametersOf } from '../../operators/operator.js';
import { ranking } from '../../operators/rank.js';
import { vectorsId } from './steps.js';

function text(label: string): CallInput {
  return { sql: '', label, modality: 'text' };
}

/** Inputs: the packed items, and the stage. */
export function aggregateCall(call: SemanticCall): SemanticCall {
  return { ...call, template: '{0}{1}', inputs: [text('items'), text('stage')] };
}

/** Asks for labels; input: the packed sample. There cannot be more groups than there are different inputs. */
export function labelsCall(call: SemanticCall, inputs: number): SemanticCall {
  const parameters = parametersOf(call, 'group');
  const { count } = parameters;
  return {
    ...call,
    ...{ template: '{0}', inputs: [text('items')] },
    output: { kind: 'list', item: { kind: 'string' } },
    ...(count === undefined ? {} : { parameters: { ...parameters, count: Math.min(count, inputs) } }),
  };
}

/** Classifies an input of the call itself into labels that were found. */
export function classifyCall(call: SemanticCall, labels: readonly string[]): SemanticCall {
  const by = parametersOf(call, 'group').instruction;
  return {
    ...call,
    output: { kind: 'enum', values: labels },
    parameters: {
      ...{ kind: 'classify', multi: false },
      labels: labels.map((label) => ({ label })),
      ...(by === undefined ? {} : { task: `Sort by this: ${by}` }),
    },
  };
}

/** Inputs: two items. */
export function compareCall(call: SemanticCall, least: boolean): SemanticCall {
  return {
    ...withoutExamples(call),
    ...{ template: '{0}{1}', inputs: [text('A'), text('B')], output: comparison },
    parameters: { kind: 'compare', criterion: criterionText(call), least },
  };
}

/** Input: up to `size` packed items. */
export function rankCall(call: SemanticCall, least: boolean, size: number): SemanticCall {
  return {
    ...withoutExamples(call),
    ...{ template: '{0}', inputs: [text('items')], output: ranking },
    parameters: { kind: 'rank', criterion: criterionText(call), least, size },
  };
}

/** Whether two items are the same, by the instruction of a dedup. Inputs: two items. */
export function sameCall(call: SemanticCall): SemanticCall {
  const { instruction } = parametersOf(call, 'dedup');
  const rule = instruction.replace(/[{}]/g, (brace) => brace + brace);
  return {
    ...withoutExamples(call),
    template: `Two rows are duplicates if this is the same: ${rule}\nAre {0} and {1} duplicates?`,
    ...{ inputs: [text('A'), text('B')], output: { kind: 'boolean' }, parameters: { kind: 'filter' } },
  };
}

/** The vector of an item. Input: the item. */
export function vectorCall({ id, role, position }: SemanticCall): SemanticCall {
  const embed = { parameters: { kind: 'embed' }, output: { kind: 'vector' } } as const;
  return { id: vectorsId(id), role, position, template: '{0}', inputs: [text('item')], ...embed };
}

/** Examples show scores of single tuples. */
function withoutExamples({ guidance, ...call }: SemanticCall): SemanticCall {
  const instructions = guidance?.instructions;
  return instructions === undefined ? call : { ...call, guidance: { instructions } };
}
