import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { encodePlan } from '../../plans/algebra/json.js';
import { applyTask, group, join, outputName, project, scan, select } from '../../plans/algebra/build.js';
import { column, compare, literal } from '../../plans/algebra/expression.js';
import type { Operator } from '../../plans/algebra/operator.js';
import { candidatesFor } from '../../plans/logical/candidates.js';
import type { Instance } from '../../plans/logical/instance.js';
import { CallError } from '../../plans/protocol/call-errors.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { LogicalRun } from '../../plans/protocol/logical-run.js';
import { defaultCatalog } from '../../plans/tasks/catalog.js';
import { recordHistory } from '../replay/record.js';
import { type Engine, startEngine } from '../support/engine.js';

/** Logical plans as runs: real server, activities, store, ledger and DuckDB; the model is scripted. */

let engine: Engine;
const prompts: string[] = [];
beforeAll(async () => {
  engine = await startEngine({
    oracle: {
      answer: (prompt, { output }) => {
        prompts.push(prompt);
        if (prompt.includes('unreadable')) throw new CallError('contentFilter', 'refused');
        const good = /<data>[^<]*\b(good|fine)\b/i.test(prompt);
        const answer = output.kind === 'boolean' ? good : { Answer: good ? 'Yes.' : 'no', Score: 0.9 };
        return { text: JSON.stringify({ answer }) };
      },
    },
  });
}, 120_000);
afterAll(() => engine.close());
beforeEach(() => {
  prompts.length = 0;
});

const csv = [
  'id,text',
  '1,"A good start.\n\nThe middle sags.\n\nAwful in the end."',
  '2,Dull.',
  '3,Fine work.',
  '4,Fine work.',
  '5,',
].join('\n');
const schema = [
  { name: 'id', type: 'BIGINT' },
  { name: 'text', type: 'Text' },
];
const inputs = [{ name: 't', key: ['id'], schema }];
const table = scan('t', { schema, key: ['id'] });
const run = (plan: Operator): LogicalRun => ({ plan: encodePlan(plan), inputs });

let tag = 0;
/** An intent of its own, so that answers of other tests do not count. */
const fresh = (): Instance => ({ template: 'filter', intent: `{text} is praise (${(tag += 1)})`, inputs });
function candidate(instance: Instance, ...trail: readonly string[]): LogicalRun {
  const found = candidatesFor(instance, defaultCatalog, { limit: 40 }).candidates.find(
    ({ origin, steps }) => [origin.seed, ...steps.map(({ rule }) => rule)].join() === trail.join(),
  );
  if (found === undefined) throw new Error(`no candidate ${trail.join()}`);
  return run(found.plan);
}
const rowsOf = async (logical: LogicalRun, options: object = {}, given = csv) => {
  const started = await engine.start('an intent', given, { logical, ...options });
  return { started, rows: await started.rows(), result: await started.result() };
};

test('a question a tuple: the same text is asked about once, NULL never, and a verdict counts however it is spelled', async () => {
  const { started, rows, result } = await rowsOf(candidate(fresh(), 'direct'));
  expect(rows.map(({ id }) => Number(id))).toEqual([1, 3, 4]);
  expect(Object.keys(rows[0] ?? {})).toEqual(['id', 'text']);
  expect(result).toMatchObject({ stop: 'complete', spend: { calls: 3 }, errors: { count: 0 }, undecided: 0 });
  expect(result.operators).toMatchObject([{ operator: 'OpTxtQA', model: 'oracle', inputs: 3, calls: 3 }]);
  await recordHistory(engine.client, started.id, undefined, 'logical-query');
});

test('Partitioned Extraction: code splits, parts are asked, and the best part speaks for its tuple', async () => {
  const { started, rows, result } = await rowsOf(candidate(fresh(), 'direct', 'partitioned-extraction'));
  expect(rows.map(({ id }) => Number(id))).toEqual([1, 3, 4]);
  // the three parts of the first text, and two other texts
  expect(prompts).toHaveLength(5);
  expect(result.operators.map(({ operator, model, calls }) => [operator, model, calls])).toEqual([
    ['OpTxtSplit', 'code', 0],
    ['OpTxtQA', 'oracle', 5],
  ]);
  const history = await engine.client.workflow.getHandle(started.id).fetchHistory();
  const payloads = [...JSON.stringify(history).matchAll(/"data":"([^"]*)"/g)].map(([, data = '']) =>
    Buffer.from(data, 'base64').toString(),
  );
  expect(payloads.join()).toContain('OpTxtSplit');
  expect(payloads.join()).not.toMatch(/sags|Dull/);
  await recordHistory(engine.client, started.id, undefined, 'logical-code');
});

test('a failed tuple is listed, and the others are answered; with skip it leaves', async () => {
  const given = `${csv}\n6,unreadable but good\n`;
  const classified: Instance = { ...fresh(), template: 'map', adds: [{ name: 'praise', type: 'BOOLEAN' }] };
  const kept = await rowsOf(candidate(classified, 'direct'), {}, given);
  expect(kept.rows.map(({ id, praise }) => [Number(id), praise])).toEqual(
    [
      [1, true],
      [2, false],
      [3, true],
      [4, true],
      [5, null],
      [6, null],
    ], // prettier-ignore
  );
  expect(await kept.started.errors()).toMatchObject([{ row: 6, code: 'contentFilter' }]);
  const skipped = await rowsOf(candidate(classified, 'direct'), { onError: 'skip' }, given);
  expect(skipped.rows.map(({ id }) => Number(id))).toEqual([1, 2, 3, 4, 5]);
});

test('a budget ends it with what is decided', async () => {
  const { rows, result } = await rowsOf(candidate(fresh(), 'direct'), { budget: { calls: 1 } });
  expect(result).toMatchObject({ stop: 'budget-calls', spend: { calls: 1 }, undecided: 3 });
  expect(rows.length).toBeLessThan(3);
});

describe('what is computed once', () => {
  const asked = (question: string): Operator => {
    const apply = applyTask(defaultCatalog.get('OpTxtQA')!, table, { bind: { text: 'text' }, params: { question } });
    return select(apply, compare(column(outputName(apply, 'Answer')), '=', literal('yes')));
  };

  test('equal parts, though the plan holds them twice: tasks and relational work', async () => {
    const counted = (): Operator => group(asked('Is it good, once?'), ['id'], [{ name: 'n', aggregate: 'count' }]);
    const other = project(counted(), [{ name: 'other', expression: column('id') }]);
    const plan = join(counted(), other, compare(column('id'), '=', column('other')));
    const { rows, result } = await rowsOf(run(plan), { cache: false });
    expect(rows.map((row) => [Number(row['id']), Number(row['n']), Number(row['other'])]).sort()).toEqual(
      [
        [1, 1, 1],
        [3, 1, 3],
        [4, 1, 4],
      ], // prettier-ignore
    );
    expect(result.operators).toHaveLength(1);
    expect(prompts).toHaveLength(3);
  });
});

test('a dry run tells its calls and asks nothing', async () => {
  const { calls, total } = await engine.estimate('an intent', csv, {
    logical: candidate(fresh(), 'direct', 'partitioned-extraction'),
  });
  expect(calls.map(({ operator, distinct }) => [operator, distinct])).toEqual([['OpTxtQA', 5]]);
  expect(total.calls.expected).toBe(5);
  expect(prompts).toHaveLength(0);
});

test('what cannot run is told before anything is asked', async () => {
  const code = async (logical: LogicalRun): Promise<unknown> =>
    engine.start('an intent', csv, { logical }).then((started) =>
      started.result().then(
        () => 'none',
        (error: unknown) => (FermataError.is(error) ? `${error.code} ${error.message}` : String(error)),
      ),
    );
  const elsewhere = scan('t', { schema: [...schema, { name: 'gone', type: 'BIGINT' }], key: [] });
  const cast = (plan: Operator, schemas = schema): LogicalRun => ({
    plan: encodePlan(plan),
    inputs: [{ name: 't', key: ['id'], schema: schemas }],
  });
  expect(await code(cast(elsewhere, [...schema, { name: 'gone', type: 'BIGINT' }]))).toContain('UnknownColumn');
  expect(await code(cast(select(table, compare(column('nope'), '=', literal(1)))))).toContain('BadPlan');
  const edited = applyTask(
    defaultCatalog.get('OpImgEdit')!,
    scan('t', { schema: [{ name: 'text', type: 'Image' }], key: [] }),
    {
      bind: { image: 'text' },
      params: { instruction: 'make it red' },
    },
  );
  expect(await code(cast(edited, [{ name: 'text', type: 'Image' }]))).toContain('no model and no code does OpImgEdit');
  expect(prompts).toHaveLength(0);
});
