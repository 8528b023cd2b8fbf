import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { applyTask, join, project, scan, select, union } from '../../../plans/algebra/build.js';
import { planHash } from '../../../plans/algebra/canonical.js';
import { column, compare, type Expression, literal } from '../../../plans/algebra/expression.js';
import { parseExpression } from '../../../plans/algebra/expression-parse.js';
import type { Operator } from '../../../plans/algebra/operator.js';
import { planText } from '../../../plans/algebra/text.js';
import { verifyOperator } from '../../../plans/algebra/verify/verify-plan.js';
import { operatorsOf, schemaOf } from '../../../plans/algebra/walk.js';
import { explore } from '../../../plans/rewrites/explore.js';
import { filterPushdown } from '../../../plans/rewrites/filter-pushdown.js';
import { rules } from '../../../plans/rewrites/registry.js';
import type { Rule } from '../../../plans/rewrites/rule.js';
import { applyRule, type RuleEvent, toFixpoint } from '../../../plans/rewrites/runner.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import { bag, evaluate } from '../../support/algebra/evaluate.js';
import { choices, fakeTasks, planFrom, relations, tables } from '../../support/algebra/random-plan.js';

const catalog = defaultCatalog;
const items = scan('items', relations['items']!);

function where(text: string): Expression {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.expression;
}

const asked = (name: string, slot: string, attribute: string, question: string, input: Operator = items): Operator => {
  const apply = applyTask(catalog.get(name)!, input, { bind: { [slot]: attribute }, params: { question } });
  return select(apply, compare(column(apply.outputs[0]!.name), '=', literal('yes')));
};

const structural = rules.filter(({ kind }) => kind === 'structural');

test('structural rules keep the bag: random DAGs with deterministic tasks, original against every plan explored', () => {
  const used = new Map<string, number>();
  let plans = 0;
  fc.assert(
    fc.property(tables, choices, (content, numbers) => {
      const plan = planFrom(numbers, { size: 10, tasks: true });
      const expected = bag(evaluate(plan, content, fakeTasks));
      const observe = ({ rule }: RuleEvent): unknown => used.set(rule, (used.get(rule) ?? 0) + 1);
      for (const found of explore([{ plan, origin: 'random' }], { catalog, rules: structural, limit: 12, observe })) {
        plans += 1;
        const text = `${planText(plan)}\n—\n${planText(found.plan)}`;
        expect(bag(evaluate(found.plan, content, fakeTasks)), text).toEqual(expected);
      }
    }),
    { numRuns: 800, plugins: [fc.interruptAfterTimeLimit(5_000)] },
  );
  for (const { name } of structural) expect(used.get(name), name).toBeGreaterThan(20);
  expect(plans).toBeGreaterThan(200);
}, 20_000);

test('every plan that any rule makes is clean, has the same attributes, and runs', () => {
  const made = new Map<string, number>();
  fc.assert(
    fc.property(tables, choices, (content, numbers) => {
      const plan = planFrom(numbers, { size: 8, tasks: true });
      const output = { schema: schemaOf(plan), rows: 'any', key: [] } as const;
      const events: RuleEvent[] = [];
      for (const found of explore([{ plan, origin: 'random' }], {
        catalog,
        limit: 24,
        observe: (event) => events.push(event),
      })) {
        const verdict = verifyOperator(found.plan, { relations, catalog, output });
        if (!verdict.ok)
          throw new Error(
            `${found.steps.join(', ')}\n${planText(plan)}\n${planText(found.plan)}\n${JSON.stringify(verdict.issues)}`,
          );
        evaluate(found.plan, content, fakeTasks);
        for (const step of found.steps) made.set(step, (made.get(step) ?? 0) + 1);
      }
      expect(events.filter(({ outcome }) => outcome !== 'changed')).toEqual([]);
    }),
    { numRuns: 150, plugins: [fc.interruptAfterTimeLimit(5_000)] },
  );
  for (const { name } of rules) if (name !== 'filter-pushdown') expect(made.get(name), name).toBeGreaterThan(1);
}, 20_000);

describe('filter pushdown', () => {
  const down = (plan: Operator): string => planText(toFixpoint(plan, filterPushdown, { catalog }));

  test('a filter passes tasks and joins that make nothing of what it reads', () => {
    const shops = scan('shops', relations['shops']!);
    const both = join(items, shops, where('id = sid'));
    expect(
      down(
        select(asked('OpTxtQA', 'text', 'note', 'Good?', both), where('a > 1 and b < 2 and a + b > 1 and Score > 0.5')),
      ),
    ).toMatchInlineSnapshot(`
      "σ Answer = 'yes' AND Score > 0.5
      └─ OpTxtQA(text: note; question = "Good?") → Answer, Score
         └─ σ a + b > 1
            └─ ⋈ id = sid
               ├─ σ a > 1
               │  └─ items
               └─ σ b < 2
                  └─ shops"
    `);
  });

  test('a filter does not pass a part that another operator reads too', () => {
    const shared = applyTask(catalog.get('OpImgOCR')!, items, { bind: { image: 'photo' } });
    const plan = union(select(shared, where('a > 1')), select(shared, where('a <= 1')));
    expect(toFixpoint(plan, filterPushdown, { catalog })).toBe(plan);
  });
});

describe('the runner', () => {
  const plan = asked('OpImgVQA', 'image', 'photo', 'Is it red?');
  const rule = (name: string, apply: Rule['apply']): Rule => ({
    name,
    kind: 'alternative',
    why: '',
    matches: ['select'],
    apply,
  });

  test('switches a rule off by name', () => {
    const names = (off: readonly string[]): readonly string[] =>
      explore([{ plan, origin: 1 }], { catalog, off: new Set(off) }).flatMap(({ steps }) => steps);
    expect(names([])).toContain('coarse-scan');
    expect(names(['coarse-scan'])).not.toContain('coarse-scan');
  });

  test('refuses a replacement of other attributes, and skips a rule that throws; both are told', () => {
    const events: RuleEvent[] = [];
    const options = { catalog, observe: (event: RuleEvent) => events.push(event) };
    expect(
      applyRule(
        plan,
        rule('loses', (operator) => [project(operator, ['id'])]),
        options,
      ),
    ).toEqual([]);
    expect(
      applyRule(
        plan,
        rule('breaks', () => {
          throw new Error('no');
        }),
        options,
      ),
    ).toEqual([]);
    expect(events).toEqual([
      { rule: 'loses', outcome: 'schema-changed' },
      { rule: 'breaks', outcome: 'failed', reason: 'no' },
    ]);
  });

  test('hands every use of a rule to the timer', () => {
    const timed: string[] = [];
    explore([{ plan, origin: 1 }], {
      catalog,
      timed: (name, run) => {
        timed.push(name);
        return run();
      },
    });
    expect(new Set(timed)).toEqual(new Set(rules.map(({ name }) => name)));
  });
});

describe('templates give the shapes of the paper', () => {
  const texts = (plan: Operator): readonly string[] =>
    explore([{ plan, origin: 1 }], { catalog, limit: 80 }).map((found) => planText(found.plan));
  const has = (plan: Operator, ...parts: readonly RegExp[]): void => {
    expect(
      texts(plan).some((text) => parts.every((part) => part.test(text))),
      parts.join(' '),
    ).toBe(true);
  };

  test('OCR then a text question, with and without the way back (§4.3.2)', () => {
    const plan = asked('OpImgVQA', 'image', 'photo', 'Does it claim FDA approval?');
    has(plan, /OpTxtQA\(text: Text/, /OpImgOCR/, /^(?!.*OpImgVQA)/s);
    has(plan, /∪/, /σ NOT coalesce\(length\(Text\) >= 3 AND Score/, /OpImgVQA/);
  });
  test('a coarse scan, then the verdict on positives (Cars Q8)', () => {
    has(
      asked('OpImgVQA', 'image', 'photo', 'Does it show punctures and scratches?'),
      /OpImgVQA.*\n.*σ coarse_label = .*\n.*OpImgCls/,
    );
  });
  test('a named column gates, or answers alone (Cars Q1); a name in the question is a keyword (E-Commerce Q1)', () => {
    const cars = scan('cars', {
      schema: [
        { name: 'id', type: 'BIGINT' },
        { name: 'crash', type: 'BOOLEAN' },
        { name: 'summary', type: 'Text' },
      ],
      key: ['id'],
    });
    const plan = asked('OpTxtQA', 'text', 'summary', 'Was the car in a crash?', cars);
    has(plan, /OpTxtQA.*\n.*σ crash/);
    has(plan, /^(?!.*Op)/s, /σ crash/);
    has(asked('OpTxtQA', 'text', 'note', 'Is this a backpack by Reebok?'), /contains\(lower\(note\), 'reebok'\)/);
  });
  test('fields that bear on the question are asked (Appendix F)', () => {
    has(
      asked('OpTxtQA', 'text', 'note', 'Which brand?'),
      /top 1 .* of each id/,
      /OpTxtQA\(text: Content/,
      /OpTxtCls/,
      /OpTxtSplit/,
    );
  });
  test('a join by keys, by sentiments (Movie Q5 to Q7), by classes', () => {
    const other = project(items, [
      { name: 'id2', expression: column('id') },
      { name: 'note2', expression: column('note') },
    ]);
    const pair = (question: string): Operator => {
      const apply = applyTask(catalog.get('OpTxtQA')!, join(items, other, where('id <> id2')), {
        bind: { text: 'note', context: 'note2' },
        params: { question },
      });
      return select(apply, where("Answer = 'yes'"));
    };
    has(
      pair('Are both of the same brand?'),
      /lower\(trim\(left_key\)\) = lower\(trim\(right_key\)\)/,
      /OpTxtQA\(text: note2/,
    );
    has(
      pair('Do they express opposite sentiments?'),
      /left_key\)\) <> /,
      /OpTxtSenti\(text: note\)/,
      /OpTxtSenti\(text: note2\)/,
    );
    has(pair('Does the article report the reaction?'), /OpTxtCls\(text: note; choices: join_labels; multi = true\)/);
  });
});

test('exploration is bounded, whatever the plan: a chain of 15 independent operators', () => {
  let plan: Operator = items;
  for (let index = 0; index < 7; index += 1) plan = asked('OpTxtQA', 'text', 'note', `Question ${index}?`, plan);
  expect(operatorsOf(plan)).toHaveLength(15);
  const found = explore([{ plan, origin: 1 }], { catalog, limit: 48 });
  expect(found.length).toBeLessThanOrEqual(48);
  expect(found.length).toBeGreaterThan(20);
  expect(new Set(found.map((one) => planHash(one.plan))).size).toBe(found.length);
  for (const { plan: one } of found) expect(operatorsOf(one).length).toBeLessThanOrEqual(40);
});
