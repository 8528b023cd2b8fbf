import { applyTask, extend, outputName } from '../../algebra/build.js';
import { call, column } from '../../algebra/expression.js';
import type { Apply, Binding, Operator } from '../../algebra/operator.js';
import { mapPlan, schemaOf } from '../../algebra/walk.js';
import { freeName } from '../../relation/schema.js';
import { classOf } from '../../relation/types.js';
import { conform } from '../../rewrites/shape.js';
import type { Catalog } from '../../tasks/task.js';

/**
 * Catalog grounding (CADENZA §4.2.2): tasks of no catalog become tasks of it where their signature tells how. A score of a
 * text and an image becomes two embeddings and their cosine, a score of a pair its pair score, an answer a question. What
 * fits none of these stays, for the verifier to report.
 */
export function ground(plan: Operator, catalog: Catalog): Operator {
  return mapPlan(plan, (operator) =>
    operator.kind === 'apply' && operator.placeholder !== undefined ? grounded(operator, catalog) : operator,
  );
}

function grounded(apply: Apply, catalog: Catalog): Operator {
  const kinds = Object.values(apply.placeholder?.inputs ?? {}).map((type) => classOf(type) ?? '');
  const outputs = apply.outputs.map(({ type }) => type);
  const score = outputs.length === 1 && outputs[0] === 'DOUBLE';
  if (score && kinds.length === 2) return scored(apply, kinds, catalog) ?? apply;
  return asked(apply, kinds, catalog) ?? apply;
}

const pairScores: Readonly<Record<string, string>> = {
  text: 'OpTxtPairScore',
  image: 'OpImgPairScore',
  audio: 'OpAudPairScore',
};

function scored(apply: Apply, [first = '', second = '']: readonly string[], catalog: Catalog): Operator | undefined {
  const [left, right] = Object.values(apply.bind);
  const [output] = apply.outputs;
  if (left === undefined || right === undefined || output === undefined) return undefined;
  if (first === second) {
    const task = catalog.get(pairScores[first] ?? '');
    return task && applyTask(task, apply.input, { bind: { left, right }, as: { Score: output.name } });
  }
  const vectors = [
    { kind: first, binding: left },
    { kind: second, binding: right },
  ];
  let input = apply.input;
  const names: string[] = [];
  for (const { kind, binding } of vectors) {
    const embedded = embed(input, kind, binding, output.name, catalog);
    if (embedded === undefined) return undefined;
    input = embedded;
    names.push(outputName(embedded, 'Vector'));
  }
  const [one = '', other = ''] = names;
  return conform(
    extend(input, [{ name: output.name, expression: call('cosine', column(one), column(other)) }]),
    schemaOf(apply),
  );
}

/** Text and images share a space of vectors; recordings do not. */
const embedders: Readonly<Record<string, readonly [task: string, input: string]>> = {
  text: ['OpTxtEmbed', 'text'],
  image: ['OpImgEmbed', 'image'],
};

function embed(input: Operator, kind: string, binding: Binding, taken: string, catalog: Catalog): Apply | undefined {
  const [name, slot] = embedders[kind] ?? [];
  const task = name === undefined ? undefined : catalog.get(name);
  if (task === undefined || slot === undefined) return undefined;
  const vector = freeName([...schemaOf(input), { name: taken, type: '' }], `${kind}_vector`);
  return applyTask(task, input, { bind: { [slot]: binding }, as: { Vector: vector } });
}

const askers: Readonly<Record<string, readonly [task: string, input: string]>> = {
  text: ['OpTxtQA', 'text'],
  image: ['OpImgVQA', 'image'],
  audio: ['OpAudQA', 'audio'],
};

/** One input and one answer, with or without a score of type DOUBLE after it. */
function asked(apply: Apply, kinds: readonly string[], catalog: Catalog): Operator | undefined {
  const [answer, score, ...more] = apply.outputs;
  const [binding] = Object.values(apply.bind);
  const [name, slot] = askers[kinds[0] ?? ''] ?? [];
  const task = name === undefined ? undefined : catalog.get(name);
  if (task === undefined || slot === undefined || binding === undefined || answer === undefined) return undefined;
  if (kinds.length > 1 || more.length > 0 || (score !== undefined && score.type !== 'DOUBLE')) return undefined;
  const question =
    apply.placeholder?.description.trim() === ''
      ? `${apply.task}: ${answer.name}?`
      : (apply.placeholder?.description ?? '');
  const type = classOf(answer.type) === 'text' ? {} : { type: answer.type };
  const as = { Answer: answer.name, ...(score === undefined ? {} : { Score: score.name }) };
  const made = applyTask(task, apply.input, { bind: { [slot]: binding }, params: { question, ...type }, as });
  return conform(made, schemaOf(apply));
}
