import { applyTask, join, outputName } from '../algebra/build.js';
import { allOf, call, column, compare, type ComparisonOperator, type Expression } from '../algebra/expression.js';
import type { Apply, Operator } from '../algebra/operator.js';
import { schemaOf, withInputs } from '../algebra/walk.js';
import { type Attribute, clashes } from '../relation/schema.js';
import { classOf, type TypeClass } from '../relation/types.js';
import type { Catalog } from '../tasks/task.js';
import { pairVerdictOf } from './pair.js';
import type { Rule } from './rule.js';
import { asYes } from './shape.js';

const askers: Readonly<Partial<Record<TypeClass, readonly [task: string, input: string]>>> = {
  text: ['OpTxtQA', 'text'],
  image: ['OpImgVQA', 'image'],
  audio: ['OpAudQA', 'audio'],
};

/**
 * Each side is asked once for the value that decides, and the values are joined: n + m questions where pairs would take
 * n · m. Sentiments come from OpTxtSenti, which wins Movie Q5 to Q7 (CADENZA §7.2).
 */
export const joinKeyMatch: Rule = {
  name: 'join-key-match',
  kind: 'alternative',
  why: 'each tuple is asked once for the value that decides, and values are matched instead of pairs; the pairs found may be put to the question again',
  matches: ['select'],
  apply: (operator, { catalog }) => {
    const pair = pairVerdictOf(operator);
    if (pair === undefined) return [];
    const { verdict, join: cross } = pair;
    const { question } = verdict;
    const left = keyed(cross.left, pair.left, question, 'left', catalog);
    const right = keyed(cross.right, pair.right, question, 'right', catalog);
    if (left === undefined || right === undefined) return [];
    const sign: ComparisonOperator = /\b(opposite|opposing|different|differ)\b/i.test(question) ? '<>' : '=';
    const match = compare(plain(left.key), sign, plain(right.key));
    const matched = join(left.apply, right.apply, allOf([cross.on, match]));
    const again = withInputs(verdict.select, [withInputs(verdict.apply, [matched])]);
    return [asYes(verdict, matched, column(left.score)), asYes(verdict, again, column(verdict.score))];
  },
};

interface Keyed {
  readonly apply: Apply;
  readonly key: string;
  readonly score: string;
}

function keyed(
  input: Operator,
  attribute: Attribute,
  question: string,
  side: string,
  catalog: Catalog,
): Keyed | undefined {
  const kind = classOf(attribute.type);
  const feeling = kind === 'text' && /\b(sentiment|mood|opinion)s?\b/i.test(question);
  const [name, slot] = feeling
    ? (['OpTxtSenti', 'text'] as const)
    : ((kind === undefined ? undefined : askers[kind]) ?? []);
  const task = name === undefined ? undefined : catalog.get(name);
  // where the name is taken the rule has been here before
  if (task === undefined || slot === undefined || clashes(schemaOf(input), `${side}_key`)) return undefined;
  const params = feeling
    ? {}
    : {
        question: `Of this item alone, give the value that decides the following, in as few words as it takes: ${question}`,
      };
  const from = feeling ? 'Polarity' : 'Answer';
  const apply = applyTask(task, input, {
    bind: { [slot]: attribute.name },
    params,
    as: { [from]: `${side}_key`, Score: `${side}_key_score` },
  });
  return { apply, key: outputName(apply, from), score: outputName(apply, 'Score') };
}

function plain(name: string): Expression {
  return call('lower', call('trim', column(name)));
}
