import { applyTask, outputName, topk } from '../algebra/build.js';
import { column, compare, type Expression, literal } from '../algebra/expression.js';
import type { Apply, Operator, Order } from '../algebra/operator.js';
import { schemaOf } from '../algebra/walk.js';
import { freeName } from '../relation/schema.js';
import { type Rule, tasksOf } from './rule.js';
import { boundTo, conform, isMadeBy, joinBack, keyOf } from './shape.js';

/** More than any part has of what a task counts within it. */
const indexesPerPart = 1_000_000;

/**
 * Template 1 (CADENZA §4.3.2, equation 1): Apply_t(r) ⇝ Norm(⊎ Apply_t(s)) over the parts s of r. Rows of all parts are
 * united and what counts within a part is made unique; or the best part's row is kept.
 */
export const partitionedExtraction: Rule = {
  name: 'partitioned-extraction',
  kind: 'alternative',
  why: 'the input is split and the task runs on each part, which may run side by side and never meet a context limit',
  matches: ['apply'],
  apply: (operator, { catalog }) => {
    if (operator.kind !== 'apply') return [];
    const trait = catalog.get(operator.task)?.traits?.partition;
    const split = tasksOf(catalog, 'OpTxtSplit')?.[0];
    const text = trait === undefined ? undefined : boundTo(operator, trait.input);
    if (trait === undefined || split === undefined || text === undefined || isMadeBy(operator.input, text, split.name))
      return [];
    const all = schemaOf(operator);
    const names = { SegIdx: freeName(all, 'SegIdx'), Content: freeName(all, 'Content') };
    const parts = applyTask(split, operator.input, { bind: { text }, params: { unit: 'paragraph' }, as: names });
    const each: Apply = {
      ...operator,
      input: parts,
      bind: { ...operator.bind, [trait.input]: { attribute: names.Content } },
    };
    if (trait.merge === 'union') return [united(each, operator, names.SegIdx, trait.indexes ?? [])];
    const best = bestOf(each, operator, names.SegIdx);
    return best === undefined ? [] : [best];
  },
};

function united(each: Apply, operator: Apply, segment: string, indexes: readonly string[]): Operator {
  const unique = (name: string): Expression => ({
    kind: 'arithmetic',
    operator: '+',
    left: { kind: 'arithmetic', operator: '*', left: column(segment), right: literal(indexesPerPart) },
    right: column(name),
  });
  const names = indexes.map((from) => outputName(operator, from));
  return conform(each, schemaOf(operator), Object.fromEntries(names.map((name) => [name, unique(name)])));
}

function bestOf(each: Apply, operator: Apply, segment: string): Operator | undefined {
  const key = keyOf(operator.input);
  if (key === undefined || operator.cardinality !== 'one') return undefined;
  const best = topk(each, 1, bestFirst(operator, segment), key);
  const made = operator.outputs.map(({ name }) => name);
  return conform(joinBack(operator.input, key, best, made), schemaOf(operator));
}

/** A part that says yes outweighs those that do not; then the surer one; then the earlier one. */
export function bestFirst(apply: Apply, segment: string): readonly Order[] {
  const answer = apply.outputs.find(({ from, type }) => from === 'Answer' && type === 'VARCHAR');
  return [
    ...(answer === undefined
      ? []
      : [{ expression: compare(column(answer.name), '=', literal('yes')), descending: true }]),
    { expression: column(outputName(apply, 'Score')), descending: true },
    { expression: column(segment), descending: false },
  ];
}
