import { applyTask, extend, group, outputName, topk } from '../../algebra/build.js';
import { call, column } from '../../algebra/expression.js';
import type { Apply, Operator } from '../../algebra/operator.js';
import { schemaOf } from '../../algebra/walk.js';
import { type Attribute, freeName } from '../../relation/schema.js';
import { joinBack, keyOf } from '../../rewrites/shape.js';
import { tasksOf } from '../../rewrites/rule.js';
import type { Catalog } from '../../tasks/task.js';
import { joinTexts, modalityOf } from '../ask.js';
import { questionOf, subjectsOf } from '../instance.js';
import { answerPlan } from './answer.js';
import { baseOf, type Seed } from './seed.js';

/** Parts of a text that a question gets to see. */
const partsKept = 3;

/** Only the parts nearest to the intent are asked about (CADENZA Figure 2, Reduced Context). */
export const reducedContext: Seed = {
  name: 'reduced-context',
  why: 'the input is cut into parts, and only those nearest to the intent are asked about',
  plans: (instance, catalog) => {
    const [base, subjects, question] = [baseOf(instance), subjectsOf(instance), questionOf(instance)];
    // a join asks about pairs; each side would have to be reduced before it, which templates do
    const key = keyOf(base);
    if (key === undefined || instance.inputs.length > 1) return [];
    const texts = subjects.filter((subject) => modalityOf(subject) === 'text');
    const others = subjects.filter((subject) => modalityOf(subject) !== 'text');
    const [other] = others;
    if (texts.length > 0) {
      const reduced = reducedText(catalog, base, key, texts, question);
      return reduced === undefined ? [] : answerPlan(instance, catalog, reduced.input, [reduced.subject, ...others]);
    }
    if (other === undefined || others.length > 1) return [];
    const reduced = modalityOf(other) === 'audio' ? reducedAudio(catalog, base, key, other, question) : undefined;
    return reduced === undefined ? [] : answerPlan(instance, catalog, reduced.input, [reduced.subject]);
  },
};

interface Reduced {
  readonly input: Operator;
  readonly subject: Attribute;
}

function reducedText(
  catalog: Catalog,
  base: Operator,
  key: readonly string[],
  texts: readonly Attribute[],
  question: string,
): Reduced | undefined {
  const tasks = tasksOf(catalog, 'OpTxtSplit', 'OpTxtPairScore');
  const [only] = texts;
  if (tasks === undefined || only === undefined) return undefined;
  const [split, score] = tasks;
  const whole = texts.length === 1 ? { input: base, name: only.name } : joinTexts(base, texts);
  const parts = applyTask(split, whole.input, { bind: { text: whole.name } });
  const [segment, content] = [outputName(parts, 'SegIdx'), outputName(parts, 'Content')];
  const near = applyTask(score, parts, { bind: { left: content, right: { text: question } } });
  const best = topk(near, partsKept, descending(near), key);
  const name = freeName(schemaOf(near), 'nearest_parts');
  const kept = group(best, key, [{ name, aggregate: 'string_agg', of: content, order: segment }]);
  return { input: joinBack(whole.input, key, kept, [name]), subject: { name, type: 'Text' } };
}

function reducedAudio(
  catalog: Catalog,
  base: Operator,
  key: readonly string[],
  subject: Attribute,
  question: string,
): Reduced | undefined {
  const tasks = tasksOf(catalog, 'OpAudSeg', 'OpAudCls');
  if (tasks === undefined) return undefined;
  const [split, classify] = tasks;
  const parts = applyTask(split, base, { bind: { audio: subject.name } });
  const content = outputName(parts, 'Content');
  const near = applyTask(classify, parts, { bind: { audio: content }, params: { labels: [question, 'none of this'] } });
  const best = topk(near, 1, descending(near), key);
  const back = joinBack(base, key, best, [content]);
  const name = freeName(schemaOf(back), 'nearest_part');
  return {
    input: extend(back, [{ name, expression: call('coalesce', column(content), column(subject.name)) }]),
    subject: { name, type: 'Audio' },
  };
}

function descending(
  scored: Apply,
): readonly { readonly expression: ReturnType<typeof column>; readonly descending: true }[] {
  return [{ expression: column(outputName(scored, 'Score')), descending: true }];
}
