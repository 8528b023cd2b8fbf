/** Answers about several rows at once that are no list of one answer a row: rankings, choices, comparisons. */
import type { JsonValue } from '../../../plans/protocol/json.js';
import type { Schema } from '../serve/request.js';
import type { Unit } from '../truth/choose.js';
import { type Ask, factOf, lastUnit, optionsOf, Unfillable } from './ask.js';
import { judgeFact } from './judge.js';
import { leaf, type Written } from './written.js';

/** An id as the schema wants it. */
function idLeaf(id: string, node: Schema | undefined, confidence: number): Written {
  const numeric = node?.type === 'integer' || node?.type === 'number';
  if (numeric && !Number.isFinite(Number(id))) throw new Unfillable(`the row ${id} has no number`);
  return leaf(numeric ? Number(id) : id, confidence);
}

/** Where a row stands among the values of its column, in [0,1]; a model that is wrong about it sees it anywhere. */
function perceived(ask: Ask, unit: Unit): { readonly at: number; readonly confidence: number } {
  const fact = factOf(ask, unit);
  const numbers = fact.domain.filter((value): value is number => typeof value === 'number');
  if (typeof fact.value !== 'number') throw new Unfillable(`the truth of ${fact.key} ranks nothing`);
  const low = Math.min(...numbers);
  const span = Math.max(...numbers) - low || 1;
  const verdict = judgeFact(ask.judge, fact, 0);
  const share = verdict.right ? (fact.value - low) / span : verdict.random.uniform();
  const rule = ask.task?.truth;
  return { at: rule?.rule === 'rank' && rule.ascending === true ? 1 - share : share, confidence: verdict.confidence };
}

/** Ids of all rows, best first; rows alike stay in the order of the prompt. */
export function rankedIds(node: Schema, ask: Ask): Written {
  const seen = ask.units.map((unit) => ({ unit, ...perceived(ask, unit) }));
  const ranked = seen.sort((a, b) => b.at - a.at).slice(0, node.maxItems ?? seen.length);
  return { kind: 'list', items: ranked.map(({ unit, confidence }) => idLeaf(unit.id, node.items, confidence)) };
}

/** Which of two rows ranks first: true, the first option, 1 or the row's id say that the first does. Equal rows: the first. */
export function firstOfTwo(node: Schema, ask: Ask): Written {
  const [a, b] = ask.units.slice(-2);
  if (a === undefined || b === undefined) throw new Unfillable('a comparison needs two rows');
  const facts = [factOf(ask, a), factOf(ask, b)] as const;
  const [left, right] = facts.map(({ value }) => value);
  if (typeof left !== 'number' || typeof right !== 'number') throw new Unfillable(`${facts[0].key} ranks nothing`);
  const rule = ask.task?.truth;
  const ascending = rule?.rule === 'rank' && rule.ascending === true;
  const first = left === right || left > right !== ascending;
  const both = { ...facts[0], key: `${facts[0].key} compared`, tuples: [...a.tuples, ...b.tuples] };
  const verdict = judgeFact(ask.judge, both, 2);
  const says = first === verdict.right;
  const options = node.type === 'boolean' ? [true, false] : (optionsOf(node) ?? idsOf(node, a, b));
  const [yes, no] = options as readonly [JsonValue, JsonValue];
  return leaf(says ? yes : no, verdict.confidence, [says ? no : yes]);
}

const idsOf = (node: Schema, a: Unit, b: Unit): readonly JsonValue[] =>
  node.type === 'string'
    ? [a.id, b.id]
    : [a, b].map(({ id }, at) => (Number.isFinite(Number(id)) ? Number(id) : at + 1));

/**
 * Ids of the rows that the answer is yes for. Where the options are values of known rows (a join asked as the labels that
 * fit one row) each option is judged as the right one of a pair.
 */
export function selectedIds(node: Schema, ask: Ask): Written {
  const options = optionsOf(node.items ?? {});
  const labelled = options === undefined ? undefined : pairsWith(ask, options);
  const units = labelled ?? ask.units;
  const items = units.flatMap((unit) => {
    const fact = factOf(ask, unit);
    const { right, confidence } = judgeFact(ask.judge, fact, 2);
    return (fact.value === true) === right
      ? [idLeaf(unit.id, labelled === undefined ? node.items : { type: 'string' }, confidence)]
      : [];
  });
  return { kind: 'list', items };
}

/** One judgement an option, when every option is a known value of the pair's right side. */
function pairsWith(ask: Ask, options: readonly string[]): readonly Unit[] | undefined {
  const { task, truth, prompt } = ask;
  if (task?.truth.rule !== 'pair') return undefined;
  const side = task.collections[1] ?? task.collections[0];
  const rights = options.map((option) => truth.byText(option).find(({ collection }) => collection === side));
  const offered = new Set(rights);
  const left = prompt.items.findLast(
    ({ tuple }) => tuple.collection === task.collections[0] && !offered.has(tuple),
  )?.tuple;
  const one = left ?? lastUnit(ask).tuples[0];
  if (one === undefined || rights.some((right) => right === undefined)) return undefined;
  return options.flatMap((id, at) => {
    const right = rights[at];
    return right === undefined ? [] : [{ id, tuples: [one, right] }];
  });
}
