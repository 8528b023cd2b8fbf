import { applyTask, outputName, select } from '../../algebra/build.js';
import { allOf, column, compare, literal, threshold } from '../../algebra/expression.js';
import type { Operator } from '../../algebra/operator.js';
import type { Attribute } from '../../relation/schema.js';
import type { Catalog } from '../../tasks/task.js';
import { classify, modalityOf } from '../ask.js';
import { finish } from '../finish.js';
import { type Instance, questionOf, subjectsOf } from '../instance.js';
import { answerPlan } from './answer.js';
import { condense } from './condense.js';
import { baseOf, type Seed } from './seed.js';

/** The call is taken apart into tasks with outputs of their own (CADENZA Figure 2, Pipeline Rewrite). */
export const pipelineRewrite: Seed = {
  name: 'pipeline-rewrite',
  why: 'the call is taken apart: each subject is condensed to what matters and the question put to that; or a classifier, an inference or a sentiment task decides',
  plans: (instance, catalog) => {
    const [base, subjects, question] = [baseOf(instance), subjectsOf(instance), questionOf(instance)];
    const short = condense(catalog, base, subjects, question);
    return [
      ...(short === undefined ? [] : answerPlan(instance, catalog, short.input, short.subjects)),
      ...classified(instance, catalog, base, subjects),
      ...(instance.template === 'filter'
        ? [...entailed(instance, catalog, base, subjects), ...felt(instance, catalog, base, subjects)]
        : []),
    ];
  },
};

function classified(
  instance: Instance,
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
): readonly Operator[] {
  const { template, labels = [], adds = [] } = instance;
  const [first] = adds;
  if (template === 'classify' && first !== undefined && labels.length > 0) {
    const found = classify(catalog, base, subjects, { labels });
    return found === undefined ? [] : [finish(instance, found.apply, { [first.name]: column(found.label) })];
  }
  if (template !== 'filter') return [];
  const question = questionOf(instance);
  const found = classify(catalog, base, subjects, { labels: [question, 'none of this'] });
  if (found === undefined) return [];
  const sure = allOf([
    compare(column(found.label), '=', literal(question)),
    compare(column(found.score), '>=', threshold(0.5)),
  ]);
  return [finish(instance, select(found.apply, sure))];
}

/** The text entails the intent: Cars Q1 says it in so many words. */
function entailed(
  instance: Instance,
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
): readonly Operator[] {
  const task = catalog.get('OpTxtNLI');
  const [subject] = subjects;
  if (task === undefined || subject === undefined || subjects.length > 1 || modalityOf(subject) !== 'text') return [];
  const apply = applyTask(task, base, { bind: { premise: subject.name, hypothesis: { text: questionOf(instance) } } });
  return [finish(instance, select(apply, compare(column(outputName(apply, 'Label')), '=', literal('entailment'))))];
}

function felt(
  instance: Instance,
  catalog: Catalog,
  base: Operator,
  subjects: readonly Attribute[],
): readonly Operator[] {
  const task = catalog.get('OpTxtSenti');
  const [subject] = subjects;
  const polarity = /\b(positive|negative|neutral)\b/i.exec(instance.intent)?.[1]?.toLowerCase();
  if (task === undefined || polarity === undefined || subject === undefined || modalityOf(subject) !== 'text')
    return [];
  const apply = applyTask(task, base, { bind: { text: subject.name } });
  return [finish(instance, select(apply, compare(column(outputName(apply, 'Polarity')), '=', literal(polarity))))];
}
