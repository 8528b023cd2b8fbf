import { outputName, select, topk } from '../../algebra/build.js';
import { column, compare, type Expression, literal } from '../../algebra/expression.js';
import type { Operator } from '../../algebra/operator.js';
import type { Attribute } from '../../relation/schema.js';
import type { Catalog } from '../../tasks/task.js';
import { ask } from '../ask.js';
import { answerType, fieldsOf, fieldsQuestion, finish } from '../finish.js';
import { type Instance, questionOf } from '../instance.js';

/** A plan up to the answers, with what the added attributes are made of and how sure the answers are. */
export interface Answered {
  readonly plan: Operator;
  readonly values: Readonly<Record<string, Expression>>;
  readonly score: string;
}

/** Puts an instance's question about these subjects, all at once; undefined where no task can. */
export function answered(
  instance: Instance,
  catalog: Catalog,
  input: Operator,
  subjects: readonly Attribute[],
): Answered | undefined {
  const { template, adds = [], labels = [] } = instance;
  const question = questionOf(instance);
  const [first] = adds;
  switch (template) {
    case 'filter':
    case 'join': {
      const asked = ask(catalog, input, subjects, { question });
      if (asked === undefined) return undefined;
      const plan = select(asked.apply, compare(column(asked.answer), '=', literal('yes')));
      return { plan, values: {}, score: asked.score };
    }
    case 'topk': {
      const asked = ask(catalog, input, subjects, {
        question: `How well does it fit, from 0 to 1? ${question}`,
        type: 'DOUBLE',
      });
      if (asked === undefined) return undefined;
      const by = [{ expression: column(asked.answer), descending: true }];
      return {
        plan: topk(asked.apply, instance.k ?? 1, by, instance.per),
        values: addedScore(adds, asked.answer),
        score: asked.score,
      };
    }
    case 'classify': {
      const asked = ask(catalog, input, subjects, {
        question: labels.length === 0 ? question : `${question}\nAnswer with one of: ${labels.join(', ')}.`,
      });
      return asked === undefined || first === undefined
        ? undefined
        : { plan: asked.apply, values: { [first.name]: column(asked.answer) }, score: asked.score };
    }
    case 'score':
    case 'map':
      return adds.length > 1
        ? fields(instance, catalog, input, subjects)
        : single(catalog, input, subjects, question, first);
  }
}

/** The plan of the answers, as an instance wants it. */
export function answerPlan(
  instance: Instance,
  catalog: Catalog,
  input: Operator,
  subjects: readonly Attribute[],
): readonly Operator[] {
  const found = answered(instance, catalog, input, subjects);
  return found === undefined ? [] : [finish(instance, found.plan, found.values)];
}

function addedScore([first]: readonly Attribute[], answer: string): Readonly<Record<string, Expression>> {
  return first === undefined ? {} : { [first.name]: column(answer) };
}

function single(
  catalog: Catalog,
  input: Operator,
  subjects: readonly Attribute[],
  question: string,
  attribute: Attribute | undefined,
): Answered | undefined {
  if (attribute === undefined) return undefined;
  const type = answerType(attribute);
  const asked = ask(catalog, input, subjects, { question, ...(type === 'VARCHAR' ? {} : { type }) });
  return asked === undefined
    ? undefined
    : { plan: asked.apply, values: { [attribute.name]: column(asked.answer) }, score: asked.score };
}

function fields(
  { adds = [], ...instance }: Instance,
  catalog: Catalog,
  input: Operator,
  subjects: readonly Attribute[],
): Answered | undefined {
  const asked = ask(catalog, input, subjects, { question: fieldsQuestion(questionOf(instance), adds) });
  const values = asked === undefined ? undefined : fieldsOf(asked.answer, adds);
  return asked === undefined || values === undefined ? undefined : { plan: asked.apply, values, score: asked.score };
}

/** One question for each attribute, one after the other: each can be routed and placed by itself. */
export function oneByOne(
  instance: Instance,
  catalog: Catalog,
  input: Operator,
  subjects: readonly Attribute[],
): Operator | undefined {
  const { adds = [] } = instance;
  const values: Record<string, Expression> = {};
  let plan = input;
  for (const attribute of adds) {
    const question = `${questionOf(instance)}\nGive only: ${attribute.name.replaceAll('_', ' ')}.`;
    const asked = single(catalog, plan, subjects, question, attribute);
    if (asked === undefined || asked.plan.kind !== 'apply') return undefined;
    plan = asked.plan;
    values[attribute.name] = column(outputName(asked.plan, 'Answer'));
  }
  return finish(instance, plan, values);
}
