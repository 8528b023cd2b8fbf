import fc from 'fast-check';
import { expect, test } from 'vitest';
import { applyTask, group, join, outputName, project, scan, select, union } from '../../../plans/algebra/build.js';
import { planHash } from '../../../plans/algebra/canonical.js';
import { column, compare, literal } from '../../../plans/algebra/expression.js';
import { parseExpression } from '../../../plans/algebra/expression-parse.js';
import { planDot, planMermaid } from '../../../plans/algebra/graph.js';
import { encodePlan } from '../../../plans/algebra/json.js';
import type { Apply, Operator } from '../../../plans/algebra/operator.js';
import { rowOf } from '../../../plans/algebra/operators.js';
import { planText } from '../../../plans/algebra/text.js';
import { verifyPlan } from '../../../plans/algebra/verify/verify-plan.js';
import { inputsOf, mapPlan, operatorsOf, schemaOf } from '../../../plans/algebra/walk.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import { choices, planFrom, relations } from '../../support/algebra/random-plan.js';

const context = { relations, catalog: defaultCatalog };
const items = scan('items', relations['items']!);

function where(text: string): Parameters<typeof select>[1] {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(parsed.error);
  return parsed.expression;
}

const apply = (task: string, input: Operator, bind: Record<string, string>, params = {}, as = {}): Apply =>
  applyTask(defaultCatalog.get(task)!, input, { bind, params, as });

test('a plan survives its JSON form: same hash, same text, same sharing, no issue found', () => {
  fc.assert(
    fc.property(choices, (numbers) => {
      const plan = planFrom(numbers, { size: 14, tasks: true });
      const json: unknown = JSON.parse(JSON.stringify(encodePlan(plan)));
      const verdict = verifyPlan(json, context);
      if (!verdict.ok) throw new Error(`${planText(plan)}\n${JSON.stringify(verdict.issues)}`);
      expect(planText(verdict.plan)).toBe(planText(plan));
      expect(planHash(verdict.plan)).toBe(planHash(plan));
      expect(operatorsOf(verdict.plan)).toHaveLength(operatorsOf(plan).length);
      expect(schemaOf(verdict.plan)).toEqual(schemaOf(plan));
    }),
    { numRuns: 300 },
  );
});

test('what an operator needs is there below it, and what it makes is in what it gives', () => {
  fc.assert(
    fc.property(choices, (numbers) => {
      for (const operator of operatorsOf(planFrom(numbers, { size: 14, tasks: true }))) {
        const inputs = inputsOf(operator).map(schemaOf);
        const below = new Set(inputs.flat().map(({ name }) => name));
        const given = new Set(schemaOf(operator).map(({ name }) => name));
        for (const name of rowOf(operator).free(operator)) expect(below).toContain(name);
        for (const name of rowOf(operator).attr(operator, inputs)) expect(given).toContain(name);
      }
    }),
    { numRuns: 200 },
  );
});

test('a map that changes nothing gives the very same plan', () => {
  fc.assert(
    fc.property(choices, (numbers) => {
      const plan = planFrom(numbers, { size: 14, tasks: true });
      expect(mapPlan(plan, (operator) => operator)).toBe(plan);
    }),
    { numRuns: 100 },
  );
});

test('plans that differ only in names, order of independent parts or sharing have one hash', () => {
  const qa = (input: Operator, as = {}): Apply =>
    apply('OpTxtQA', input, { text: 'note' }, { question: 'Is it good?' }, as);
  const vqa = (input: Operator, as = {}): Apply =>
    apply('OpImgVQA', input, { image: 'photo' }, { question: 'Is it red?' }, as);
  const ids = (input: Operator): Operator => project(input, ['id']);
  const one = ids(
    select(
      vqa(qa(items, { Answer: 'good', Score: 'g' }), { Answer: 'red', Score: 'r' }),
      where("good = 'yes' and red = 'yes'"),
    ),
  );
  const two = ids(
    select(select(qa(vqa(items), { Answer: 'x', Score: 'y' }), where("'yes' = Answer")), where("x = 'yes'")),
  );
  expect(planHash(one)).toBe(planHash(two));

  const shops = scan('shops', relations['shops']!);
  const both = (left: Operator, right: Operator): Operator =>
    project(join(left, right, compare(column('id'), '=', column('sid'))), ['id', 'c']);
  expect(planHash(both(items, shops))).toBe(planHash(both(shops, items)));
  const [low, high] = [select(items, where('a < 2')), select(items, where('a >= 2'))];
  expect(planHash(union(low, high))).toBe(planHash(union(high, low)));
  expect(planHash(union(low, low))).toBe(planHash(union(low, select(items, where('2 > a')))));
});

test('plans that mean different things have different hashes', () => {
  const note = apply('OpTxtQA', items, { text: 'note' }, { question: 'Good?' });
  const plans: readonly Operator[] = [
    items,
    project(items, ['id']),
    project(items, [{ name: 'id', expression: column('a') }]),
    project(items, [
      { name: 'a', expression: column('id') },
      { name: 'id', expression: column('a') },
    ]),
    project(items, ['id', 'a']),
    note,
    apply('OpTxtQA', items, { text: 'note' }, { question: 'Bad?' }),
    apply('OpTxtQA', items, { text: 's' }, { question: 'Good?' }),
    apply('OpTxtQA', items, { text: 'note' }, { question: 'Good?' }, { Answer: 'other' }),
    apply('OpTxtSum', items, { text: 'note' }),
    select(note, where("Answer = 'yes'")),
    select(note, where("Answer = 'no'")),
    select(note, where("Answer = 'yes' or Score > 0.5")),
    select(note, where("Answer = 'yes' and Score > 0.5")),
    union(items, items),
    group(items, ['a']),
    group(items, ['a'], [{ name: 'n', aggregate: 'count' }]),
    group(items, ['a'], [{ name: 'n', aggregate: 'max', of: 'id' }]),
    { kind: 'topk', input: items, k: 1, by: [], per: [] },
    { kind: 'topk', input: items, k: 1, by: [{ expression: column('a'), descending: true }], per: [] },
    { kind: 'topk', input: items, k: 1, by: [{ expression: column('a'), descending: false }], per: [] },
    ...(['inner', 'left', 'semi', 'anti'] as const).map((how) =>
      join(items, scan('shops', relations['shops']!), literal(true), how),
    ),
  ];
  expect(new Set(plans.map(planHash)).size).toBe(plans.length);
});

test('text shows the tree once, Mermaid and DOT every operator and edge, texts of users escaped', () => {
  const ocr = apply('OpImgOCR', items, { image: 'photo' });
  const read = apply(
    'OpTxtQA',
    select(ocr, where('length(Text) > 3')),
    { text: 'Text' },
    { question: 'Does it say "FDA <b>approved</b>"?\n; end' },
  );
  const looked = apply(
    'OpImgVQA',
    select(ocr, where('NOT length(Text) > 3')),
    { image: 'photo' },
    { question: 'Claim?' },
    { Score: outputName(read, 'Score') },
  );
  const plan = union(read, looked);
  expect(planText(plan)).toMatchInlineSnapshot(`
    "∪
    ├─ OpTxtQA(text: Text; question = "Does it say \\"FDA <b>approved</b>\\"?\\n; end") → Answer, Score as Score_2
    │  └─ σ length(Text) > 3
    │     └─ OpImgOCR(image: photo) → Text, Score  #1
    │        └─ items
    └─ OpImgVQA(image: photo; question = "Claim?") → Answer, Score as Score_2
       └─ σ NOT length(Text) > 3
          └─ as #1"
  `);
  const mermaid = planMermaid(plan);
  expect(mermaid.split('\n').filter((line) => line.includes('-->'))).toHaveLength(7);
  expect(mermaid).not.toMatch(/<b>/);
  for (const line of mermaid.split('\n').slice(1))
    expect(line).toMatch(/^ {2}n\d+( --> n\d+|\[\("[^"]*"\)\]|\(\["[^"]*"\]\)|\["[^"]*"\])$/);
  for (const line of planDot(plan).split('\n').slice(1, -1))
    expect(line).toMatch(/^ {2}n\d+ (\[shape=\w+, label="([^"\\]|\\.)*"\]|-> n\d+);$/);
});
