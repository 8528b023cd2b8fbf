/**
 * Shapes of answers, first that fits wins: a new operator's reply is a row here. A row says for which place of a schema it
 * is, and writes that place from the truth.
 */
import type { JsonValue } from '../../../plans/protocol/json.js';
import type { Schema } from '../serve/request.js';
import type { Unit } from '../truth/choose.js';
import { type Ask, factOf, lastUnit, optionsOf, plainSchema, Unfillable } from './ask.js';
import { judgeFact } from './judge.js';
import { answerLabel, answerLabels, isYesNo, namedLabel } from './labels.js';
import { writeObject } from './objects.js';
import { firstOfTwo, rankedIds, selectedIds } from './several.js';
import { answerNumber, answerText, scaleOf } from './values.js';
import { leaf, type Written } from './written.js';

export interface Shape {
  readonly name: string;
  readonly fits: (node: Schema, ask: Ask) => boolean;
  readonly write: (node: Schema, ask: Ask) => Written;
}

const isRank = (ask: Ask): boolean => ask.task?.truth.rule === 'rank';
const isNumber = ({ type }: Schema): boolean => type === 'integer' || type === 'number';
const isArray = ({ type }: Schema): boolean => type === 'array';
const isIds = (node: Schema): boolean => isArray(node) && (isNumber(node.items ?? {}) || node.items?.type === 'string');
const counts = /how many|\bcount\b|number of/;

/** Whether one judgement has a yes or no for its answer. */
function isVerdict(ask: Ask): boolean {
  return ask.task?.truth.rule === 'test' || ask.task?.truth.rule === 'pair';
}

function isListTruth(ask: Ask): boolean {
  return ask.task !== undefined && ask.units.length > 0 && Array.isArray(factOf(ask, lastUnit(ask)).value);
}

export const shapes: readonly Shape[] = [
  { name: 'object', fits: ({ type, properties }) => type === 'object' || properties !== undefined, write: writeObject },
  { name: 'ranking', fits: (node, ask) => isIds(node) && isRank(ask), write: rankedIds },
  {
    name: 'comparison',
    fits: (node, ask) => isRank(ask) && ask.units.length >= 2 && !isArray(node),
    write: firstOfTwo,
  },
  {
    name: 'selection',
    fits: (node, ask) => isIds(node) && isVerdict(ask) && !isYesNo(optionsOf(node.items ?? {})),
    write: selectedIds,
  },
  {
    name: 'labels',
    fits: (node, ask) =>
      isArray(node) && isListTruth(ask) && (ask.units.length === 1 || optionsOf(node.items ?? {}) !== undefined),
    write: (node, ask) => {
      const fact = factOf(ask, lastUnit(ask));
      const items = optionsOf(plainSchema(node.items ?? {}, ask).node);
      const verdict = judgeFact(ask.judge, fact, 2);
      const chosen = answerLabels(fact, items, verdict);
      return { kind: 'list', items: chosen.map((label, at) => leaf(label, at === 0 ? verdict.confidence : 1)) };
    },
  },
  {
    name: 'batch',
    fits: isArray,
    write: (node, ask) => ({
      kind: 'list',
      items: ask.units.map((unit) => ask.write(node.items ?? {}, { ...ask, units: [unit] })),
    }),
  },
  {
    name: 'count',
    fits: (node, ask) => isNumber(node) && isVerdict(ask) && ask.units.length > 1 && counts.test(ask.prompt.question),
    write: (_, ask) => leaf(ask.units.filter((unit) => yes(ask, unit).value).length),
  },
  {
    name: 'label',
    fits: (node) => optionsOf(node) !== undefined,
    write: (node, ask) => {
      const fact = factOf(ask, lastUnit(ask));
      const options = optionsOf(node) ?? [];
      const verdict = judgeFact(ask.judge, fact, options.length);
      const label = answerLabel(fact, options, verdict);
      if (label === undefined) throw new Unfillable('an enum without values');
      return leaf(
        label,
        verdict.confidence,
        options.filter((option) => option !== label),
      );
    },
  },
  {
    name: 'verdict',
    fits: ({ type }) => type === 'boolean',
    write: (_, ask) => {
      const { value, confidence } = yes(ask, lastUnit(ask));
      return leaf(value, confidence, [!value]);
    },
  },
  {
    name: 'number',
    fits: isNumber,
    write: (node, ask) => {
      const fact = factOf(ask, lastUnit(ask));
      const verdict = judgeFact(ask.judge, fact, 0);
      const value = answerNumber(fact, scaleOf(node, ask.prompt.question), verdict);
      if (value === undefined) throw new Unfillable(`the truth of ${fact.key} is no number`);
      return leaf(value, verdict.confidence);
    },
  },
  {
    name: 'text',
    fits: ({ type }) => type === 'string',
    write: (_, ask) => {
      const fact = factOf(ask, lastUnit(ask));
      const verdict = judgeFact(ask.judge, fact, 0);
      const value = answerText(fact, verdict);
      if (value === undefined) throw new Unfillable(`the truth of ${fact.key} is not stated`);
      return leaf(value, verdict.confidence);
    },
  },
];

/** Yes or no to one judgement. */
function yes(ask: Ask, unit: Unit): { readonly value: boolean; readonly confidence: number } {
  const fact = factOf(ask, unit);
  const truth = typeof fact.value === 'boolean' ? fact.value : namedLabel(fact, ask.prompt.question);
  if (truth === undefined) throw new Unfillable(`the truth of ${fact.key} is no verdict`);
  const { right, confidence } = judgeFact(ask.judge, fact, 2);
  return { value: right ? truth : !truth, confidence };
}

/** Writes one place of a schema. Throws `Unfillable` where no shape has a truth for it. */
export function writeAnswer(schema: Schema, ask: Ask): Written {
  const { node, nullable } = plainSchema(schema, ask);
  if (nullable && ask.task !== undefined && ask.units.length === 1) {
    const fact = factOf(ask, lastUnit(ask));
    const verdict = judgeFact(ask.judge, fact, 0);
    if (fact.value === null && verdict.right) return leaf(null, verdict.confidence);
  }
  const typed =
    node.type === undefined && node.enum === undefined && node.properties === undefined ? asTruth(ask) : node;
  const shape = shapes.find(({ fits }) => fits(typed, ask));
  if (shape === undefined) throw new Unfillable(`no shape for ${JSON.stringify(typed)}`);
  return shape.write(typed, ask);
}

/** A place without a type takes the truth's own; several rows give a list. */
function asTruth(ask: Ask): Schema {
  const rule = ask.task?.truth.rule;
  if (rule === 'rank' && ask.units.length > 1) return { type: 'array', items: { type: 'string' } };
  const { value } = factOf(ask, lastUnit(ask));
  const own: Schema = Array.isArray(value) ? { type: 'array', items: { type: 'string' } } : { type: jsonType(value) };
  return ask.units.length > 1 && rule !== 'pair' ? { type: 'array', items: own } : own;
}

function jsonType(value: JsonValue): string {
  return typeof value === 'boolean' || typeof value === 'number' ? typeof value : 'string';
}
