import { applyTask, select, topk } from '../algebra/build.js';
import { column, compare, literal } from '../algebra/expression.js';
import type { Apply, Operator } from '../algebra/operator.js';
import { schemaOf } from '../algebra/walk.js';
import { freeName } from '../relation/schema.js';
import { bestFirst } from './partitioned-extraction.js';
import { type Rule, tasksOf } from './rule.js';
import { boundTo, conform, isMadeBy, joinBack, keyOf } from './shape.js';

const relevant = 'bears on the question';

/** Split, keep what bears on the question, ask about that: the text side of the plans of CADENZA's Appendix F. */
export const evidenceIsolation: Rule = {
  name: 'evidence-isolation',
  kind: 'alternative',
  why: 'a long text or JSON is cut into fields, those that bear on the question are kept, and only they are asked about',
  matches: ['apply'],
  apply: (operator, { catalog }) => {
    const tasks = tasksOf(catalog, 'OpTxtSplit', 'OpTxtCls');
    if (operator.kind !== 'apply' || operator.task !== 'OpTxtQA' || tasks === undefined) return [];
    const [split, classify] = tasks;
    const text = boundTo(operator, 'text');
    const key = keyOf(operator.input);
    if (text === undefined || key === undefined || isMadeBy(operator.input, text, split.name)) return [];
    const free = freeNames(operator);
    const parts = applyTask(split, operator.input, {
      bind: { text },
      params: { unit: 'field' },
      as: { SegIdx: free('SegIdx'), Content: free('Content') },
    });
    const labels = [relevant, 'does not'];
    const sorted = applyTask(classify, parts, {
      bind: { text: free('Content') },
      params: { labels },
      as: { Label: free('Kind'), Score: free('KindScore') },
    });
    const kept = select(sorted, compare(column(free('Kind')), '=', literal(relevant)));
    const asked: Apply = { ...operator, input: kept, bind: { ...operator.bind, text: { attribute: free('Content') } } };
    const best = topk(asked, 1, bestFirst(operator, free('SegIdx')), key);
    const made = operator.outputs.map(({ name }) => name);
    return [conform(joinBack(operator.input, key, best, made), schemaOf(operator))];
  },
};

function freeNames(operator: Operator): (name: string) => string {
  const taken = schemaOf(operator);
  return (name) => freeName(taken, name);
}
