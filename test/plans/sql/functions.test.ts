import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SemanticCall } from '../../../plans/operators/call.js';
import { explained } from '../../../plans/operators/explanation.js';
import { sentimentType } from '../../../plans/operators/sentiment.js';
import type { JsonValue } from '../../../plans/protocol/json.js';
import { type Bench, openBench } from '../../support/sql-plan-executor.js';

let bench: Bench;
beforeAll(async () => {
  bench = await openBench(
    ['CREATE TABLE r(id INTEGER, txt VARCHAR, "odd name" VARCHAR, "a.b" VARCHAR, photo VARCHAR, clip BLOB)'],
    { 'r.photo': 'image', 'r.clip': 'audio' },
  );
});
afterAll(() => bench.close());

async function callOf(call: string): Promise<SemanticCall> {
  const plan = await bench.plan(`SELECT ${call} AS x FROM r`);
  expect(plan.calls).toHaveLength(1);
  return plan.calls[0]!;
}

const field = (name: string) => ({ name, type: { kind: 'string' as const } });

/** [call, template, input labels] */
const prompts: [string, string, string[]][] = [
  ["AI_FILTER('Is {txt} good?')", 'Is {0} good?', ['r.txt']],
  ["AI_FILTER('{r.txt} {txt} { TXT }')", '{0} {0} {0}', ['r.txt']],
  ['AI_FILTER(\'{odd name} {"odd name"} {r."odd name"} {a.b}\')', '{0} {0} {0} {1}', ['r.odd name', 'r.a.b']],
  ['AI_FILTER(\'{{"k": {txt}}} it\'\'s "q" 😀\')', '{{"k": {0}}} it\'s "q" 😀', ['r.txt']],
  ["AI_FILTER(E'a\\n{txt}')", 'a\n{0}', ['r.txt']],
  ["AI_FILTER($$it's {txt}$$)", "it's {0}", ['r.txt']],
  ["AI_FILTER(PROMPT('{1} of {0}', txt, id))", '{0} of {1}', ['id', 'txt']],
  ["AI_FILTER(PROMPT('{0} at {id}', upper(txt)))", '{0} at {1}', ['upper(r.txt)', 'r.id']],
  ["AI_FILTER('good: ' || txt || ' {id}')", 'good: {0} {{id}}', ['txt']],
  ['AI_FILTER(txt)', '{0}', ['txt']],
  ["AI_FILTER(concat('a', txt))", '{0}', ["concat('a', r.txt)"]],
  ["AI_FILTER('x' || r.txt.upper().lower())", 'x{0}', ['lower(upper(r.txt))']],
  ["AI_FILTER('is it good?', txt)", 'is it good?\n\n{0}', ['txt']],
  ["AI_FILTER('is {0} by {1}?', txt, id)", 'is {0} by {1}?', ['txt', 'id']],
  ["AI_FILTER('what is on it?', photo)", 'what is on it?\n\n{0}', ['photo']],
  ["AI_IF(prompt => ('a {b} ', txt, ' c'))", 'a {{b}} {0} c', ['txt']],
  ["AI.IF(('a', photo, clip), connection_id => 'c')", 'a{0}{1}', ['photo', 'clip']],
  ["AI.IF(prompt => 'Recipe: ' || COALESCE(txt, ''))", 'Recipe: {0}', ["COALESCE(r.txt, '')"]],
  ["AI.SCORE(prompt => ('Rate it ', txt))", 'Rate it {0}', ['txt']],
  ["NLfilter(txt, 'is good')", 'is good\n\n{0}', ['txt']],
  ["nlfilter(photo, 'shows a cat')", 'shows a cat\n\n{0}', ['photo']],
  [
    "llm_filter({'model_name': 'm', 'secret': 's'}, {'prompt': 'good?', 'context_columns': [{'data': txt}, {'data': id, 'name': 'n'}]})",
    'good?\n\n{0}\n\nn: {1}',
    ['txt', 'id'],
  ],
  [
    "llm_complete({'model_name': 'm'}, {'prompt': 'sum up {t}', 'context_columns': [{'data': txt, 'name': 't'}]})",
    'sum up {0}',
    ['txt'],
  ],
  ["AI_COMPLETE('sum up', txt)", 'sum up\n\n{0}', ['txt']],
  ["AI_CLASSIFY('of {txt}', ['a'])", 'of {0}', ['r.txt']],
  ["AI_CLASSIFY(photo, ['a'])", '{0}', ['photo']],
  ["AI_EXTRACT(PROMPT('{0}', txt), {a: 'date'})", '{0}', ['txt']],
];

describe('every form of a prompt', () => {
  for (const [sql, template, labels] of prompts) {
    it(sql, async () => {
      const call = await callOf(sql);
      expect(call.template).toBe(template);
      expect(call.inputs.map(({ label }) => label)).toEqual(labels);
    });
  }

  it('marks image and audio inputs, also through subqueries, WITH and renames', async () => {
    const modalities = async (sql: string): Promise<string[]> =>
      (await bench.plan(sql)).calls.flatMap(({ inputs }) => inputs.map(({ modality }) => modality));
    expect(await modalities("SELECT AI_FILTER('{photo} {clip} {txt}') FROM r")).toEqual(['image', 'audio', 'text']);
    expect(await modalities("SELECT AI_FILTER('{p}') FROM (SELECT photo AS p FROM r) q")).toEqual(['image']);
    expect(await modalities("SELECT AI_FILTER('{p}') FROM (SELECT * RENAME (photo AS p) FROM r) q")).toEqual(['image']);
    expect(
      await modalities(
        "WITH q AS (SELECT a.photo, b.txt FROM r a JOIN r b USING (id)) SELECT AI_FILTER('{photo} {txt}') FROM q",
      ),
    ).toEqual(['image', 'text']);
    expect(await modalities("SELECT AI_FILTER('{p}') FROM (SELECT upper(photo) AS p FROM r) q")).toEqual(['text']);
    expect(await modalities("SELECT AI_FILTER('{p}') FROM r AS q(a, b, c, d, p)")).toEqual(['image']);
    expect(await modalities("WITH r AS (SELECT txt AS photo FROM r) SELECT AI_FILTER('{photo}') FROM r")).toEqual([
      'text',
    ]);
  });

  it('shows any text as it is', async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme', maxLength: 20 }), async (text) => {
        const clean = text.replaceAll('\0', '');
        const quoted = clean.replaceAll("'", "''");
        const escaped = clean.replace(/[{}]/g, (brace) => brace + brace);
        const literal = await callOf(`AI_FILTER('x${quoted.replace(/[{}]/g, (brace) => brace + brace)}{txt}')`);
        expect(literal.template).toBe(`x${escaped}{0}`);
        const tuple = await callOf(`AI_FILTER(('x${quoted}', txt))`);
        expect(tuple.template).toBe(`x${escaped}{0}`);
        const classify = await callOf(`AI_CLASSIFY(txt, ['x${quoted}'])`);
        expect(classify.output).toEqual({ kind: 'enum', values: [`x${clean}`] });
      }),
      { numRuns: 50 },
    );
  });
});

const outputs: [string, Partial<SemanticCall>][] = [
  ["AI_FILTER('{txt}')", { parameters: { kind: 'filter' }, output: { kind: 'boolean' } }],
  ["AI_FILTER('{txt}', {model: 'small'})", { model: 'small' }],
  ["AI_FILTER('{txt}', model => 'small')", { model: 'small' }],
  [
    "llm_filter({'model_name': 'm'}, {'prompt': 'x', 'context_columns': [{'data': txt}]})",
    { model: 'm', output: { kind: 'boolean' } },
  ],
  [
    "AI_CLASSIFY(txt, ['a', 'b'])",
    {
      parameters: { kind: 'classify', labels: [{ label: 'a' }, { label: 'b' }], multi: false },
      output: { kind: 'enum', values: ['a', 'b'] },
    },
  ],
  [
    "AI_CLASSIFY(txt, ['a'], {multi: true, task_description: 'Pick.', descriptions: {a: 'first'}})",
    {
      parameters: { kind: 'classify', labels: [{ label: 'a', description: 'first' }], multi: true, task: 'Pick.' },
      output: { kind: 'list', item: { kind: 'enum', values: ['a'] } },
    },
  ],
  [
    "AI_CLASSIFY(txt, [{label: 'a', description: 'first'}, ('b', 'second')], {output_mode: 'multi'})",
    {
      parameters: {
        kind: 'classify',
        labels: [
          { label: 'a', description: 'first' },
          { label: 'b', description: 'second' },
        ],
        multi: true,
      },
    },
  ],
  ["AI.CLASSIFY(txt, categories => ['a'], multi := false)", { output: { kind: 'enum', values: ['a'] } }],
  ["AI_COMPLETE('{txt}')", { output: { kind: 'string' } }],
  ["AI_MAP('{txt}', 'integer', {model: 'm'})", { output: { kind: 'integer' }, model: 'm' }],
  ["AI_COMPLETE('{txt}', {model: 'm'})", { output: { kind: 'string' }, model: 'm' }],
  ["AI_COMPLETE('{txt}', 'list of dates')", { output: { kind: 'list', item: { kind: 'date' } } }],
  ["AI_COMPLETE('{txt}', ['low', 'high'])", { output: { kind: 'enum', values: ['low', 'high'] } }],
  [
    "AI_COMPLETE('{txt}', {a: 'integer'})",
    { output: { kind: 'struct', fields: [{ name: 'a', type: { kind: 'integer' } }] } },
  ],
  [
    "AI_EXTRACT(txt, {n: 'integer', d: 'date', b: 'boolean', w: 'Why?', q: 'number: How much?', l: 'string[]', e: ['x', 'y'], s: [{t: 'text'}], \"it's\": 'bool'})",
    {
      parameters: { kind: 'extract' },
      output: {
        kind: 'struct',
        fields: [
          { name: 'n', type: { kind: 'integer' } },
          { name: 'd', type: { kind: 'date' } },
          { name: 'b', type: { kind: 'boolean' } },
          { name: 'w', type: { kind: 'string' }, description: 'Why?' },
          { name: 'q', type: { kind: 'number' }, description: 'How much?' },
          { name: 'l', type: { kind: 'list', item: { kind: 'string' } } },
          { name: 'e', type: { kind: 'enum', values: ['x', 'y'] } },
          {
            name: 's',
            type: { kind: 'list', item: { kind: 'struct', fields: [{ name: 't', type: { kind: 'string' } }] } },
          },
          { name: "it's", type: { kind: 'boolean' } },
        ],
      },
    },
  ],
  ["AI_SCORE('{txt}')", { parameters: { kind: 'score', min: 0, max: 1 } }],
  ["AI_SCORE('Score from 1 to 5: {txt}')", { parameters: { kind: 'score', min: 1, max: 5 } }],
  ["AI_SCORE('On a scale of 0-10: {txt}')", { output: { kind: 'number', min: 0, max: 10 } }],
  ["AI_SCORE('From 1 to 5: {txt}', {min: -1.5, max: 2})", { output: { kind: 'number', min: -1.5, max: 2 } }],
  ["AI_SCORE('rate', txt, {max: 7})", { output: { kind: 'number', min: 0, max: 7 } }],
  ["AI_EXTRACT(txt, ['person', 'date'])", { output: { kind: 'struct', fields: [field('person'), field('date')] } }],
  ['AI_SENTIMENT(txt)', { parameters: { kind: 'sentiment', aspects: [] }, output: sentimentType([]), template: '{0}' }],
  [
    "AI_SENTIMENT('About {txt}', ['food', 'staff'], {model: 'm'})",
    { output: sentimentType(['food', 'staff']), model: 'm' },
  ],
  ["AI.SENTIMENT(txt, {aspects: ['food']})", { parameters: { kind: 'sentiment', aspects: ['food'] } }],
  ['ai_analyze_sentiment(txt)', { parameters: { kind: 'sentiment', aspects: [] } }],
  ['AI_SUMMARIZE(txt)', { parameters: { kind: 'summarize' }, output: { kind: 'string' } }],
  ['AI_SUMMARIZE(txt, {max_words: 30})', { parameters: { kind: 'summarize', maxWords: 30 } }],
  ['ai_summarize(txt, 30)', { parameters: { kind: 'summarize', maxWords: 30 } }],
  ["AI_TRANSLATE(txt, '', 'de')", { parameters: { kind: 'translate', to: 'de' }, output: { kind: 'string' } }],
  [
    "AI_TRANSLATE(txt, 'en', 'pt-BR', {model: 'm'})",
    { parameters: { kind: 'translate', from: 'en', to: 'pt-BR' }, model: 'm' },
  ],
  ["ai_translate(txt, 'German')", { parameters: { kind: 'translate', to: 'German' } }],
  ["ai_gen('{txt}')", { parameters: { kind: 'complete' } }],
  [
    "AI_FILTER('{txt}', {explain: true})",
    { role: 'value', output: explained({ kind: 'boolean' }), guidance: { explain: true } },
  ],
  [
    "AI_CLASSIFY(txt, ['a', 'b'], {multi: true, explain: true})",
    { output: explained({ kind: 'list', item: { kind: 'enum', values: ['a', 'b'] } }) },
  ],
  ["AI_COMPLETE('{txt}', 'date', explain => true)", { output: explained({ kind: 'date' }) }],
  ["AI_EXTRACT(txt, {a: 'integer'}, {instructions: 'Be {exact}.'})", { guidance: { instructions: 'Be {exact}.' } }],
];

/** [call, inputs, output] */
const examples: [string, readonly string[], JsonValue][] = [
  ["AI_CLASSIFY(txt, ['a', 'b'], {examples: [{input: 'x', output: 'a'}]})", ['x'], 'a'],
  ["AI_CLASSIFY(txt, ['a', 'b'], examples => [('x', 'a')])", ['x'], 'a'],
  ["AI_CLASSIFY(txt, ['a', 'b'], {examples: [{txt: 'x', label: 'A '}]})", ['x'], 'a'],
  ["AI_CLASSIFY(txt, ['a', 'b'], {examples: [{input: 'x', labels: ['a'], explanation: 'y'}]})", ['x'], 'a'],
  ["AI_CLASSIFY(txt, ['a', 'b'], {multi: true, examples: [{input: 'x', labels: ['b', 'a']}]})", ['x'], ['b', 'a']],
  ["AI_FILTER('{id} {txt}?', {examples: [{txt: 'x', id: 5, output: false}]})", ['5', 'x'], false],
  [
    "AI_FILTER(PROMPT('{0} {1}', txt, upper(txt)), {examples: [{input1: 'X', input0: 'x', answer: true}]})",
    ['x', 'X'],
    true,
  ],
  ["AI_SCORE('{txt}', {min: -2, max: 0, examples: [('x', -1.5)]})", ['x'], -1.5],
  ["AI_COMPLETE('{txt}', 'date', {examples: [('it''s', DATE '2024-02-29')]})", ["it's"], '2024-02-29'],
  ["AI_COMPLETE('{txt}', 'integer[]', {examples: [('x', [1, 2]), ('y', [])]})", ['x'], [1, 2]],
  [
    "AI_EXTRACT(txt, {n: 'integer', s: [{t: 'text'}]}, {examples: [('x', {n: NULL, s: [{t: 'u'}]})]})",
    ['x'],
    { n: null, s: [{ t: 'u' }] },
  ],
  [
    "AI_SENTIMENT(txt, ['food'], {examples: [('x', {overall: 'mixed', food: NULL})]})",
    ['x'],
    { overall: 'mixed', food: null },
  ],
  ["AI_TRANSLATE(txt, 'de', {examples: [('day', 'Tag')]})", ['day'], 'Tag'],
];

describe('examples', () => {
  for (const [sql, inputs, output] of examples) {
    it(sql, async () => {
      const { guidance } = await callOf(sql);
      expect(guidance?.examples?.[0]).toMatchObject({ inputs, output });
    });
  }
});

describe('parameters, output types and options', () => {
  for (const [sql, wanted] of outputs) {
    it(sql, async () => expect(await callOf(sql)).toMatchObject(wanted));
  }

  it('notes options of other systems that have no effect', async () => {
    const plan = await bench.plan("SELECT id FROM r WHERE AI.IF(('x', txt), max_error_ratio => 0.1, endpoint => 'g')");
    expect(plan.notes?.join('\n')).toMatch(/AI_IF: max_error_ratio[^]*AI_IF: endpoint/);
  });

  it('asks twice when only the guidance differs, once when nothing does', async () => {
    const plan = await bench.plan(
      "SELECT AI_SCORE('{txt}') a, AI_SCORE('{txt}', {explain: true}) b, AI_SCORE('{txt}', {explain: true}).answer c, " +
        "AI_SCORE('{txt}', {explain: false}) d, AI_SCORE('{txt}', {instructions: 'x'}) e FROM r",
    );
    expect(plan.calls.map(({ guidance }) => guidance)).toEqual([undefined, { explain: true }, { instructions: 'x' }]);
  });

  it('reads explained answers as structs', async () => {
    const x = "AI_SCORE('{txt}', {explain: true})";
    const plan = await bench.plan(
      `SELECT ${x}.explanation AS why, ${x}::VARCHAR AS t, ${x}::JSON AS j FROM r WHERE ${x}.answer > 0.5 AND ${x} IS NOT NULL`,
    );
    expect(plan.calls).toMatchObject([{ role: 'value' }]);
  });

  it('gives the place of each call', async () => {
    const sql = "SELECT '😀' AS e, AI_SCORE('{txt}') AS s FROM r WHERE AI.IF(('x', txt))";
    const plan = await bench.plan(sql);
    expect(plan.calls.map(({ position }) => sql.slice(position, position + 5))).toEqual(['AI.IF', 'AI_SC']);
  });
});

describe('names of result columns', () => {
  it.each<[string, string[]]>([
    ["SELECT AI_CLASSIFY(txt, ['a']), AI_CLASSIFY(txt, ['b']), id FROM r", ['ai_classify', 'ai_classify_2', 'id']],
    ["SELECT AI.IF(('x', txt)), AI.CLASSIFY(txt, categories => ['a']) FROM r", ['ai_if', 'ai_classify']],
    ["SELECT AI_SCORE('{txt}') * 2, upper(AI_COMPLETE('{txt}')) FROM r", ['(ai_score * 2)', 'upper(ai_complete)']],
    ['SELECT AI_SCORE(\'{txt}\') AS "My Score", upper(txt) FROM r', ['My Score', 'upper(txt)']],
    ["SELECT AI_EXTRACT(txt, {a: 'integer'}).a, count(*) OVER () FROM r", ['(ai_extract).a', 'count() OVER ()']],
    ["SELECT * EXCLUDE (photo, clip), AI_SCORE('{txt}') AS s FROM r", ['id', 'txt', 'odd name', 'a.b', 's']],
    ["SELECT count(*), max(AI_SCORE('{txt}')) FROM r", ['count_star()', 'max(ai_score)']],
  ])('%s', async (sql, names) => {
    const plan = await bench.plan(sql);
    expect((await bench.execute(plan, () => null)).columns).toEqual(names);
  });
});
