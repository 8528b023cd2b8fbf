import { applyTask, outputName, select } from '../algebra/build.js';
import { column, compare, literal } from '../algebra/expression.js';
import type { Binding, Operator } from '../algebra/operator.js';
import { schemaOf, withInputs } from '../algebra/walk.js';
import type { Rule } from './rule.js';
import { conform, verdictOf } from './shape.js';

/** A cheap classifier over all tuples, then the verdict on its positives only: what wins Cars Q8 (CADENZA §7.2). */
export const coarseScan: Rule = {
  name: 'coarse-scan',
  kind: 'alternative',
  why: 'a cheap classifier looks at every tuple, and only its positives are put to the question',
  matches: ['select'],
  apply: (operator, { catalog }) => {
    const verdict = verdictOf(operator);
    if (verdict === undefined) return [];
    const { apply, question } = verdict;
    const coarse = catalog.get(apply.task)?.traits?.coarse;
    const task = coarse === undefined ? undefined : catalog.get(coarse.task);
    if (coarse === undefined || task === undefined || isScanned(apply.input, task.name, question)) return [];
    const bind: Record<string, Binding> = {};
    for (const [slot, binding] of Object.entries(apply.bind)) {
      const to = coarse.inputs[slot];
      // a question about two objects cannot be put to a classifier of one
      if (to === undefined) return [];
      bind[to] = binding;
    }
    const scanned = applyTask(task, apply.input, {
      bind,
      params: { labels: [question, 'none of this'] },
      as: freeNames(operator, apply.input, task.outputs),
    });
    const positive = select(scanned, compare(column(outputName(scanned, 'Label')), '=', literal(question)));
    return [conform(withInputs(verdict.select, [withInputs(apply, [positive])]), schemaOf(operator))];
  },
};

function freeNames(
  operator: Operator,
  input: Operator,
  outputs: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> {
  const taken = new Set([...schemaOf(operator), ...schemaOf(input)].map(({ name }) => name.toLowerCase()));
  return Object.fromEntries(
    Object.keys(outputs).map((name) => {
      let free = `coarse_${name.toLowerCase()}`;
      while (taken.has(free)) free = `${free}_2`;
      return [name, free];
    }),
  );
}

function isScanned(input: Operator, task: string, question: string): boolean {
  let at = input;
  while (at.kind === 'apply' || at.kind === 'select' || at.kind === 'project') {
    if (at.kind === 'apply' && at.task === task && JSON.stringify(at.params).includes(JSON.stringify(question)))
      return true;
    at = at.input;
  }
  return false;
}
