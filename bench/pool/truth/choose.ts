/** Which task a prompt asks, and the judgements that it asks for. */
import type { Item, Prompt } from './items.js';
import type { KnownTuple } from './registry.js';
import type { TruthTask } from './types.js';
import { normalise } from './words.js';

/** What kind of answer is asked for: decides between tasks whose words fit alike. */
export type Wanted = 'boolean' | 'number' | 'label' | 'any';

const kinds: Readonly<Record<Wanted, readonly TruthTask['truth']['rule'][]>> = {
  boolean: ['test', 'pair', 'rank'],
  number: ['field', 'rank', 'test'],
  label: ['field', 'pair', 'rank'],
  any: ['field', 'test', 'pair', 'rank'],
};

export type Choice = { readonly task: TruthTask } | { readonly task: undefined; readonly among: readonly string[] };

/**
 * The task whose words all stand in the question: the one with the most words, of the kind that is wanted. A registry of
 * one task asks nothing but that.
 */
export function chooseTask(tasks: readonly TruthTask[], prompt: Prompt, wanted: Wanted): Choice {
  const present = new Set(prompt.items.map(({ tuple }) => tuple.collection));
  const possible = tasks.filter(({ collections }) => collections.some((collection) => present.has(collection)));
  const [sole] = possible;
  if (tasks.length === 1 && sole !== undefined) return { task: sole };
  const scored = possible.flatMap((task) => {
    const words = matched(task, prompt.question);
    return words === undefined ? [] : [{ task, score: (kinds[wanted].includes(task.truth.rule) ? 1e6 : 0) + words }];
  });
  const best = Math.max(...scored.map(({ score }) => score));
  const top = scored.filter(({ score }) => score === best);
  const [first] = top;
  return top.length === 1 && first !== undefined
    ? { task: first.task }
    : { task: undefined, among: top.map(({ task }) => task.key) };
}

/** How much of a task's words the question holds: 1,000 a group, and the letters of the phrases. */
function matched(task: TruthTask, question: string): number | undefined {
  let score = 0;
  for (const group of task.intent) {
    const found = group.map(normalise).filter((phrase) => holds(question, phrase));
    if (found.length === 0) return undefined;
    score += 1000 + Math.max(...found.map(({ length }) => length));
  }
  return score;
}

const letter = /[\p{L}\p{N}]/u;

/** Whether a phrase begins at a word; endings may follow (`crash`, `crashes`). */
export function holds(text: string, phrase: string): boolean {
  for (let at = text.indexOf(phrase); at >= 0; at = text.indexOf(phrase, at + 1)) {
    if (at === 0 || !letter.test(text[at - 1] ?? '')) return true;
  }
  return false;
}

/** Rows that are judged together, under the name that the prompt gives the judgement. */
export interface Unit {
  readonly tuples: readonly KnownTuple[];
  readonly id: string;
}

const unitOf = (item: Item, at: number, ...before: readonly Item[]): Unit => ({
  tuples: [...before, item].map(({ tuple }) => tuple),
  id:
    [item, ...before].find(({ mark }) => mark !== undefined && givenId.test(mark))?.mark ?? item.mark ?? String(at + 1),
});

/** An id that our prompts give to one judgement; other marks may be of one value in it. */
const givenId = /^[a-z]{3}$/;

/** Rows of one collection whose ids say how they pair: each with the one after it, or each with the only one without an id. */
function byGivenIds(items: readonly Item[]): readonly Unit[] | undefined {
  const isGiven = ({ mark }: Item): boolean => mark !== undefined && givenId.test(mark);
  const given = items.filter(isGiven);
  if (given.length === 0) return undefined;
  if (items.every((item, at) => isGiven(item) === (at % 2 === 0)) && items.length === 2 * given.length) {
    return given.map((item, at) => ({
      ...unitOf(item, at, ...items.slice(2 * at + 1, 2 * at + 2)),
      id: item.mark ?? '',
    }));
  }
  const [shared, ...others] = items.filter((item) => !isGiven(item));
  return shared === undefined || others.length > 0 ? undefined : given.map((item, at) => unitOf(item, at, shared));
}

/** One judgement a row; for a pair, one a pair of neighbours, or of the first row with each other one. */
export function unitsOf(task: TruthTask | undefined, prompt: Prompt, length: number | undefined): readonly Unit[] {
  const { items } = prompt;
  if (task === undefined) return items.map((item, at) => unitOf(item, at));
  const [left, right] = task.collections;
  if (task.truth.rule !== 'pair') {
    const about = items.filter(({ tuple }) => tuple.collection === left);
    return (about.length > 0 ? about : items).map((item, at) => unitOf(item, at));
  }
  const marked = right === undefined || right === left ? byGivenIds(items) : undefined;
  if (marked !== undefined) return marked;
  const lefts =
    right === undefined || right === left ? items.slice(0, 1) : items.filter((i) => i.tuple.collection === left);
  const rights =
    right === undefined || right === left ? items.slice(1) : items.filter((i) => i.tuple.collection === right);
  const neighbours =
    right === undefined || right === left
      ? items.length % 2 === 0 && (items.length === 2 * (length ?? 0) || /\bpairs?\b/.test(prompt.question))
      : lefts.length === rights.length;
  if (neighbours && right !== undefined && right !== left) {
    return rights.map((item, at) => unitOf(item, at, ...lefts.slice(at, at + 1)));
  }
  if (neighbours) {
    return items.flatMap((item, at) =>
      at % 2 === 0 ? [] : [{ ...unitOf(item, at, ...items.slice(at - 1, at)), id: String((at + 1) / 2) }],
    );
  }
  // one row against many, or every left one with every right one
  return lefts.flatMap((one, i) => rights.map((item, j) => unitOf(item, i * rights.length + j, one)));
}
