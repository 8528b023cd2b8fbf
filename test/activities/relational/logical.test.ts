import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyTask, join, outputName, project, scan, select, union } from '../../../plans/algebra/build.js';
import { column, compare, literal } from '../../../plans/algebra/expression.js';
import { planText } from '../../../plans/algebra/text.js';
import { explore } from '../../../plans/rewrites/explore.js';
import { rules } from '../../../plans/rewrites/registry.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import type { CodeTasks } from '../../../plans/tasks/code/code-task.js';
import { bag, evaluate, type Value } from '../../support/algebra/evaluate.js';
import { choices, fakeTasks, planFrom, relations, tables } from '../../support/algebra/random-plan.js';
import { type LogicalRunner, openLogicalRunner } from '../../support/logical-runner.js';

/** The fake tasks of the reference evaluator, as code that the executor runs: it reads every value as text. */
const asCode: CodeTasks = Object.fromEntries(
  [...defaultCatalog.keys()].map((name) => [
    name,
    {
      serves: () => true,
      run: (inputs, params) => {
        const task = defaultCatalog.get(name)!;
        const many = task.cardinality === 'many';
        const outputs = Object.entries(task.outputs).map(([from, type]) => ({ from, name: from, type }));
        const apply = { task: name, params, outputs, cardinality: many ? 'many' : 'one' } as never;
        return fakeTasks[name]!(inputs as Readonly<Record<string, Value>>, apply).map((row) => ({ ...row }));
      },
    },
  ]),
);

let runner: LogicalRunner;
beforeAll(async () => {
  runner = await openLogicalRunner(asCode);
});
afterAll(() => runner.close());

test('random DAGs: the executor gives the bag that the reference does, of a plan and of what structural rules make of it', async () => {
  const structural = rules.filter(({ kind }) => kind === 'structural');
  let tasks = 0;
  let rewritten = 0;
  await fc.assert(
    fc.asyncProperty(tables, choices, async (content, numbers) => {
      const plan = planFrom(numbers, { size: 8, tasks: true });
      const expected = bag(evaluate(plan, content, fakeTasks));
      const found = explore([{ plan, origin: 1 }], { catalog: defaultCatalog, rules: structural, limit: 2 });
      for (const { plan: one } of [{ plan }, ...found.slice(1)]) {
        const { rows, result, stored } = await runner.run(one, relations, content);
        tasks += stored;
        expect(bag(rows), planText(one)).toEqual(expected);
        expect(result.errors.count).toBe(0);
      }
      rewritten += found.length - 1;
    }),
    // each plan takes a few hundred milliseconds: few, and always the same
    { numRuns: 12, seed: 3 },
  );
  expect(tasks).toBeGreaterThan(5);
  expect(rewritten).toBeGreaterThan(0);
}, 60_000);

test('three relations, one of them asked in two parts whose rows of many come together again', async () => {
  const towns = {
    schema: [
      { name: 'tid', type: 'BIGINT' },
      { name: 'town', type: 'VARCHAR' },
    ],
    key: ['tid'],
  };
  const schemas = { ...relations, towns };
  const items = scan('items', relations['items']!);
  const part = (kind: '<' | '>=') => {
    const split = applyTask(defaultCatalog.get('OpTxtSplit')!, select(items, compare(column('a'), kind, literal(2))), {
      bind: { text: 'note' },
    });
    return project(split, ['id', 'a', { name: 'part', expression: column(outputName(split, 'Content')) }]);
  };
  const shops = join(
    union(part('<'), part('>=')),
    scan('shops', relations['shops']!),
    compare(column('a'), '=', column('b')),
  );
  const plan = join(shops, scan('towns', towns), compare(column('sid'), '=', column('tid')));
  const item = (id: number, a: number | null, note: string | null) => ({ id, a, s: null, note, photo: 'p1' });
  const content = {
    // the last two are in neither part, and of no parts
    items: [item(0, 1, 'one'), item(1, 2, 'two'), item(2, 3, 'three'), item(3, null, 'four'), item(4, 1, null)],
    shops: [
      { sid: 0, b: 1, c: 'x' },
      { sid: 1, b: 2, c: 'y' },
      { sid: 2, b: 2, c: 'z' },
    ],
    towns: [
      { tid: 0, town: 'Ulm' },
      { tid: 1, town: 'Ghent' },
      { tid: 2, town: 'Turin' },
    ],
  };
  const { rows, result, stored } = await runner.run(plan, schemas, content);
  const expected = evaluate(plan, content, fakeTasks);
  expect(new Set(expected.map(({ id, town }) => `${id} ${town}`))).toEqual(new Set(['0 Ulm', '1 Ghent', '1 Turin']));
  expect(bag(rows)).toEqual(bag(expected));
  expect(result.errors.count).toBe(0);
  expect(stored).toBe(2);
});
