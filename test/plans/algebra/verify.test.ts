import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodePlan } from '../../../plans/algebra/json.js';
import type { RequiredOutput } from '../../../plans/algebra/verify/context.js';
import { issueText, type PlanIssue } from '../../../plans/algebra/verify/issue.js';
import { verifyPlan } from '../../../plans/algebra/verify/verify-plan.js';
import { defaultCatalog } from '../../../plans/tasks/catalog.js';
import { choices, planFrom, relations } from '../../support/algebra/random-plan.js';

const context = { relations, catalog: defaultCatalog };

function issuesOf(json: unknown, output?: RequiredOutput): readonly PlanIssue[] {
  const verdict = verifyPlan(json, output === undefined ? context : { ...context, output });
  return verdict.ok ? [] : verdict.issues;
}

const scan = { id: 's', op: 'scan', relation: 'items' };
const qa = { id: 'q', op: 'apply', input: 's', task: 'OpTxtQA', bind: { text: 'note' }, params: { question: 'Good?' } };
const plan = (...nodes: readonly Record<string, unknown>[]): unknown => ({ v: 1, nodes, output: nodes.at(-1)?.['id'] });

describe('each fault is found, placed and given a way out', () => {
  const cases: readonly (readonly [string, unknown, string, string])[] = [
    ['malformed', [], '', 'not a JSON object'],
    ['malformed', { nodes: [scan] }, '', "'output'"],
    ['malformed', { v: 2, nodes: [scan], output: 's' }, '', 'version'],
    [
      'too-large',
      { nodes: Array.from({ length: 61 }, (_, id) => ({ ...scan, id: `${id}` })), output: '1' },
      '',
      '61 operators',
    ],
    ['unknown-operator', plan({ ...scan }, { id: 'x', op: 'semfilter' }), 'x', 'semfilter'],
    ['unknown-relation', plan({ ...scan, relation: 'itms' }), 's.relation', 'items'],
    ['unknown-task', plan(scan, { ...qa, task: 'OpTxtQa' }), 'q.task', 'OpTxtQA'],
    ['dangling-input', plan({ ...qa, input: 'nowhere' }), 'q', 'nowhere'],
    [
      'cycle',
      plan(
        { id: 'a', op: 'select', input: 'b', predicate: 'true' },
        { id: 'b', op: 'select', input: 'a', predicate: 'true' },
      ),
      'a',
      'circle',
    ],
    ['unused-operator', { nodes: [scan, qa], output: 's' }, 'q', 'nothing reads'],
    ['duplicate-name', plan(scan, scan), 's', 'id'],
    ['duplicate-name', plan(scan, qa, { ...qa, id: 'r', input: 'q' }), 'r.as', 'Answer'],
    ['duplicate-name', plan(scan, { id: 'j', op: 'join', left: 's', right: 's', on: 'true' }), 'j', 'both sides'],
    [
      'missing-attribute',
      plan(scan, qa, { id: 'f', op: 'select', input: 'q', predicate: "Ans = 'yes'" }),
      'f.predicate',
      'Answer',
    ],
    ['missing-attribute', plan(scan, { ...qa, bind: {} }), 'q.bind', "'text'"],
    ['missing-attribute', plan(scan, { ...qa, bind: { text: 'nte' } }), 'q.bind.text', 'note'],
    ['type-mismatch', plan(scan, { ...qa, bind: { text: 'photo' } }), 'q.bind.text', 'Text is needed'],
    ['type-mismatch', plan(scan, { id: 'f', op: 'select', input: 's', predicate: 'a' }), 'f.predicate', 'boolean'],
    [
      'unsafe-predicate',
      plan(scan, { id: 'f', op: 'select', input: 's', predicate: "note > 'a'" }),
      'f.predicate',
      'Text',
    ],
    ['unsafe-predicate', plan(scan, { id: 'g', op: 'group', input: 's', keys: ['photo'] }), 'g.keys', 'Image'],
    ['unsafe-predicate', plan(scan, { id: 't', op: 'topk', input: 's', k: 1, by: ['note'] }), 't.by', 'Text'],
    [
      'unknown-function',
      plan(scan, { id: 'f', op: 'select', input: 's', predicate: 'is_positive(note)' }),
      'f.predicate',
      'is_positive',
    ],
    ['bad-expression', plan(scan, { id: 'f', op: 'select', input: 's', predicate: 'a = = 1' }), 'f.predicate', 'value'],
    ['bad-parameter', plan(scan, { ...qa, params: {} }), 'q.params', "'question'"],
    ['bad-parameter', plan(scan, { ...qa, params: { question: 'x', temperature: 1 } }), 'q.params', 'temperature'],
    ['bad-parameter', plan(scan, { ...qa, task: 'OpTxtCls', params: {} }), 'q.params', 'labels'],
    [
      'ungrounded-task',
      plan(scan, {
        ...qa,
        task: 'OpTxtMood',
        params: {},
        signature: { inputs: { text: 'Text' }, outputs: { Mood: 'VARCHAR' } },
      }),
      'q.task',
      'OpTxtMood',
    ],
  ];
  test.each(cases)('%s: %j', (fault, json, at, words) => {
    const issues = issuesOf(json).filter((issue) => issue.fault === fault);
    expect(issues.map((issue) => issue.at)).toContain(at);
    const text = issues.map(issueText).join('\n');
    expect(text).toContain(words);
    for (const { hint } of issues) expect(hint).not.toBe('');
  });
});

test('all faults of one draft are listed at once', () => {
  const json = plan(
    scan,
    { id: 'o', op: 'apply', input: 's', task: 'OpImgOCR', bind: { image: 'note' } },
    { id: 'c', op: 'apply', input: 'o', task: 'OpTxtCls', bind: { text: 'Txt' }, params: { labels: [] } },
    { id: 'f', op: 'select', input: 'c', predicate: "Lable = 'x' and note < 'b'" },
    { id: 'z', op: 'scan', relation: 'nothing' },
    { id: 'p', op: 'project', input: 'f', columns: ['id', 'id'] },
  );
  const found = issuesOf(json)
    .map(({ fault, at }) => `${fault} ${at}`)
    .sort();
  expect(found).toEqual([
    'bad-parameter c.params.labels',
    'duplicate-name c.as',
    'duplicate-name p.columns',
    'missing-attribute c.bind.text',
    'missing-attribute f.predicate',
    'type-mismatch o.bind.image',
    'unknown-relation z.relation',
    'unsafe-predicate f.predicate',
    'unused-operator z',
  ]);
});

describe('what the output must be', () => {
  const schema = relations['items']!.schema;
  const filter: RequiredOutput = { schema, rows: 'zero-or-one', key: ['id'] };
  const keep = { id: 'p', op: 'project', columns: schema.map(({ name }) => name) };
  const yes = { id: 'f', op: 'select', input: 'q', predicate: "Answer = 'yes'" };
  const split = { id: 'm', op: 'apply', input: 's', task: 'OpTxtSplit', bind: { text: 'note' } };

  test('a filter by a question is clean', () =>
    expect(issuesOf(plan(scan, qa, yes, { ...keep, input: 'f' }), filter)).toEqual([]));
  test('an attribute too many, or one too few', () => {
    expect(issuesOf(plan(scan, qa, yes), filter).map(({ message }) => message)).toEqual([
      "nobody asked for 'Answer'",
      "nobody asked for 'Score'",
    ]);
    expect(
      issuesOf(plan(scan, { ...keep, input: 's', columns: ['id'] }), filter).every(
        ({ fault }) => fault === 'output-schema',
      ),
    ).toBe(true);
  });
  test('rows multiplied by a split are a fault until they are folded', () => {
    const contains = { id: 'f', op: 'select', input: 'm', predicate: "contains(Content, 'a')" };
    expect(issuesOf(plan(scan, split, contains, { ...keep, input: 'f' }), filter).map(({ fault }) => fault)).toEqual([
      'cardinality',
    ]);
    const top = { id: 't', op: 'topk', input: 'f', k: 1, by: ['SegIdx'], per: ['id'] };
    expect(issuesOf(plan(scan, split, contains, top, { ...keep, input: 't' }), filter)).toEqual([]);
  });
  test('a map may not lose a tuple', () => {
    const map: RequiredOutput = {
      schema: [
        { name: 'id', type: 'BIGINT' },
        { name: 'Answer', type: 'VARCHAR' },
      ],
      rows: 'one',
      key: ['id'],
    };
    const end = { id: 'p', op: 'project', columns: ['id', 'Answer'] };
    expect(issuesOf(plan(scan, qa, { ...end, input: 'q' }), map)).toEqual([]);
    expect(issuesOf(plan(scan, qa, yes, { ...end, input: 'f' }), map).map(({ fault }) => fault)).toEqual([
      'cardinality',
    ]);
  });
  test('two branches of one predicate keep every tuple once; two that overlap do not', () => {
    const map: RequiredOutput = { schema: [{ name: 'id', type: 'BIGINT' }], rows: 'one', key: ['id'] };
    const branch = (id: string, predicate: string): Record<string, unknown> => ({
      id,
      op: 'select',
      input: 's',
      predicate,
    });
    const both = (one: string, other: string): readonly string[] =>
      issuesOf(
        plan(
          scan,
          branch('x', one),
          branch('y', other),
          { id: 'u', op: 'union', inputs: ['x', 'y'] },
          { ...keep, input: 'u', columns: ['id'] },
        ),
        map,
      ).map(({ message }) => message);
    expect(both('coalesce(a > 1, false)', 'NOT coalesce(a > 1, false)')).toEqual([]);
    expect(both('a > 1', 'NOT a > 1')).toEqual(['a tuple of the input can get lost']);
    expect(both('a > 1', 'a > 2')).toEqual(['a tuple of the input can come out several times']);
  });
});

test('never throws, whatever the JSON is', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (json) => typeof verifyPlan(json, context).ok === 'boolean'),
    { numRuns: 300 },
  );
  const fields = [
    'id',
    'op',
    'input',
    'inputs',
    'left',
    'right',
    'task',
    'bind',
    'params',
    'as',
    'columns',
    'predicate',
    'keys',
    'aggregates',
    'by',
    'k',
    'per',
    'on',
    'how',
    'relation',
    'signature',
    '__proto__',
    'constructor',
  ];
  const value = fc.oneof(
    fc.jsonValue(),
    fc.constantFrom('s', 'q', 'apply', 'OpTxtQA', 'constructor', '__proto__', 'note', 'toString'),
  );
  const node = fc
    .record({ op: fc.constantFrom('scan', 'select', 'project', 'join', 'group', 'union', 'topk', 'apply') })
    .chain((base) => fc.dictionary(fc.constantFrom(...fields), value).map((rest) => ({ ...rest, ...base, id: 'q' })));
  fc.assert(
    fc.property(fc.array(node, { maxLength: 5 }), (nodes) => {
      const json = { nodes: [scan, ...nodes.map((item, index) => ({ ...item, id: `q${index}` }))], output: 'q0' };
      return typeof verifyPlan(json, { ...context, placeholders: true }).ok === 'boolean';
    }),
    { numRuns: 1500 },
  );
});

test('a good plan with one field broken never throws, and a clean verdict encodes to the plan that it read', () => {
  fc.assert(
    fc.property(choices, fc.nat(), fc.jsonValue(), (numbers, where, junk) => {
      const json = JSON.parse(JSON.stringify(encodePlan(planFrom(numbers, { size: 8, tasks: true })))) as {
        nodes: Record<string, unknown>[];
        output: string;
      };
      const node = json.nodes[where % json.nodes.length]!;
      const names = Object.keys(node);
      node[names[where % names.length]!] = junk;
      const verdict = verifyPlan(json, context);
      if (verdict.ok) expect(verifyPlan(encodePlan(verdict.plan), context).ok).toBe(true);
      else expect(verdict.issues.length).toBeGreaterThan(0);
    }),
    { numRuns: 500 },
  );
});
