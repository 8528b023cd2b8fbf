import { applyTask, outputName, select, topk, union } from '../../algebra/build.js';
import { allOf, call, column, compare, type Expression, literal, not, threshold } from '../../algebra/expression.js';
import type { Operator } from '../../algebra/operator.js';
import type { Attribute } from '../../relation/schema.js';
import type { Catalog } from '../../tasks/task.js';
import { classify, modalityOf } from '../ask.js';
import { finish } from '../finish.js';
import { type Instance, questionOf, subjectsOf } from '../instance.js';
import { type Answered, answered } from './answer.js';
import { condense } from './condense.js';
import { baseOf, type Seed } from './seed.js';

/** How many more rows than asked a proxy leaves to be scored for a top-k. */
const margin = 10;

/** A cheap score decides the clear cases, and only the others are asked about (CADENZA Figure 2, Proxy Cascade). */
export const proxyCascade: Seed = {
  name: 'proxy-cascade',
  why: 'a cheap score settles the clear cases, and the others go to the question itself',
  plans: (instance, catalog) => {
    const [base, subjects] = [baseOf(instance), subjectsOf(instance)];
    switch (instance.template) {
      case 'filter':
      case 'join':
        return verdicts(instance, catalog, base, subjects);
      case 'topk':
        return preselected(instance, catalog, base, subjects);
      case 'classify':
      case 'map':
      case 'score':
        return escalated(instance, catalog, base, subjects);
    }
  },
};

interface Scored {
  readonly plan: Operator;
  readonly score: Expression;
}

function verdicts(
  instance: Instance,
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
): readonly Operator[] {
  const scored = proxyScore(catalog, base, subjects, questionOf(instance));
  if (scored === undefined) return [];
  const clear = call('coalesce', compare(scored.score, '>=', threshold(0.9)), literal(false));
  const doubtful = allOf([not(clear), compare(scored.score, '>=', threshold(0.3))]);
  const rest = answered(instance, catalog, select(scored.plan, doubtful), subjects);
  if (rest === undefined) return [];
  return [union(finish(instance, select(scored.plan, clear)), finish(instance, rest.plan, rest.values))];
}

function preselected(
  instance: Instance,
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
): readonly Operator[] {
  const scored = proxyScore(catalog, base, subjects, questionOf(instance));
  if (scored === undefined) return [];
  const first = topk(
    scored.plan,
    (instance.k ?? 1) * margin,
    [{ expression: scored.score, descending: true }],
    instance.per,
  );
  const rest = answered(instance, catalog, first, subjects);
  return rest === undefined ? [] : [finish(instance, rest.plan, rest.values)];
}

/** Answers on condensed subjects are taken where they are sure; the others come from the subjects themselves. */
function escalated(
  instance: Instance,
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
): readonly Operator[] {
  const cheap = cheapAnswers(instance, catalog, base, subjects);
  if (cheap === undefined) return [];
  const sure = call('coalesce', compare(column(cheap.score), '>=', threshold(0.8)), literal(false));
  const rest = answered(instance, catalog, select(cheap.plan, not(sure)), subjects);
  if (rest === undefined) return [];
  return [union(finish(instance, select(cheap.plan, sure), cheap.values), finish(instance, rest.plan, rest.values))];
}

function cheapAnswers(
  instance: Instance,
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
): Answered | undefined {
  const { template, labels = [], adds = [] } = instance;
  const [first] = adds;
  if (template === 'classify' && labels.length > 0 && first !== undefined) {
    const found = classify(catalog, base, subjects, { labels });
    return found === undefined
      ? undefined
      : { plan: found.apply, values: { [first.name]: column(found.label) }, score: found.score };
  }
  const short = condense(catalog, base, subjects, questionOf(instance));
  return short === undefined ? undefined : answered(instance, catalog, short.input, short.subjects);
}

/** A score of how near the subjects are to one another, or the one subject to the intent. */
function proxyScore(
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
  question: string,
): Scored | undefined {
  const [first, second] = subjects;
  if (first === undefined) return undefined;
  const kinds = subjects.map(modalityOf);
  const image = subjects.find((subject) => modalityOf(subject) === 'image');
  const text = subjects.find((subject) => modalityOf(subject) === 'text');
  if (second !== undefined && kinds[0] === kinds[1]) {
    const name = { text: 'OpTxtPairScore', image: 'OpImgPairScore', audio: 'OpAudPairScore' }[modalityOf(first)];
    return scoredBy(catalog, base, name, { left: first.name, right: second.name });
  }
  if (image !== undefined && text !== undefined)
    return scoredBy(catalog, base, 'OpTxtImgScore', { text: text.name, image: image.name });
  if (image !== undefined)
    return scoredBy(catalog, base, 'OpTxtImgScore', { text: { text: question }, image: image.name });
  if (text !== undefined)
    return scoredBy(catalog, base, 'OpTxtPairScore', { left: text.name, right: { text: question } });
  return heard(catalog, base, first, question);
}

function scoredBy(
  catalog: Catalog,
  base: Operator,
  name: string,
  bind: Readonly<Record<string, string | { readonly text: string }>>,
): Scored | undefined {
  const task = catalog.get(name);
  if (task === undefined) return undefined;
  const plan = applyTask(task, base, { bind });
  return { plan, score: column(outputName(plan, 'Score')) };
}

/** No task scores a recording against a text, so a classifier of two labels does; its negatives are kept out. */
function heard(catalog: Catalog, base: Operator, subject: Attribute, question: string): Scored | undefined {
  const found = classify(catalog, base, [subject], { labels: [question, 'none of this'] });
  if (found === undefined) return undefined;
  return {
    plan: select(found.apply, compare(column(found.label), '=', literal(question))),
    score: column(found.score),
  };
}
