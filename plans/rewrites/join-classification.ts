import { applyTask, group, join, outputName, project, topk } from '../algebra/build.js';
import { allOf, call, column, compare, literal } from '../algebra/expression.js';
import { schemaOf } from '../algebra/walk.js';
import { clashes } from '../relation/schema.js';
import { classOf, type TypeClass } from '../relation/types.js';
import { pairVerdictOf } from './pair.js';
import type { Rule } from './rule.js';
import { asYes, keyOf } from './shape.js';

const classifiers: Readonly<Partial<Record<TypeClass, readonly [task: string, input: string]>>> = {
  text: ['OpTxtCls', 'text'],
  image: ['OpImgCls', 'image'],
  audio: ['OpAudCls', 'audio'],
};

/** The values of one side become the labels by which the other side is classified: one question a tuple of it. */
export const joinClassification: Rule = {
  name: 'join-classification',
  kind: 'alternative',
  why: 'the texts of one side are the labels by which the other is classified: one question a tuple instead of one a pair',
  matches: ['select'],
  apply: (operator, { catalog }) => {
    const pair = pairVerdictOf(operator);
    if (pair === undefined) return [];
    const { verdict, join: cross } = pair;
    const ways = [
      { item: pair.left, label: pair.right, items: cross.left, labels: cross.right },
      { item: pair.right, label: pair.left, items: cross.right, labels: cross.left },
    ] as const;
    return ways.flatMap(({ item, label, items, labels }) => {
      const kind = classOf(item.type);
      const [name, slot] = (kind === undefined ? undefined : classifiers[kind]) ?? [];
      const task = name === undefined ? undefined : catalog.get(name);
      if (task === undefined || slot === undefined || classOf(label.type) !== 'text') return [];
      // where the name is taken the rule has been here before
      if (clashes(schemaOf(cross), 'found_label') || clashes(schemaOf(cross), 'join_labels')) return [];
      const key = keyOf(items);
      if (key === undefined) return [];
      const values = group(project(labels, [{ name: 'join_label', expression: call('to_text', column(label.name)) }]), [
        'join_label',
      ]);
      const choices = group(
        values,
        [],
        [{ name: 'join_labels', aggregate: 'list', of: 'join_label', order: 'join_label' }],
      );
      const classified = applyTask(task, join(items, choices, literal(true)), {
        bind: { [slot]: item.name, choices: 'join_labels' },
        params: { multi: true },
        as: { Label: 'found_label', Score: 'found_score' },
      });
      const [found, score] = [outputName(classified, 'Label'), outputName(classified, 'Score')];
      const on = compare(column(found), '=', call('to_text', column(label.name)));
      // a model may name a label twice
      const once = topk(classified, 1, [{ expression: column(score), descending: true }], [...key, found]);
      const matched = join(once, labels, allOf([cross.on, on]));
      return [asYes(verdict, matched, column(score))];
    });
  },
};
