import { expect, test } from 'vitest';
import { encodePlan } from '../../../plans/algebra/json.js';
import { applyTask, project, scan, select } from '../../../plans/algebra/build.js';
import { column, compare, threshold } from '../../../plans/algebra/expression.js';
import { verifyPlan } from '../../../plans/algebra/verify/verify-plan.js';
import { classOf } from '../../../plans/relation/types.js';
import { defaultCatalog, tasks } from '../../../plans/tasks/catalog.js';
import { cardinalityOf, catalogOf, type Task, taskPrompt } from '../../../plans/tasks/task.js';
import { readDraft } from '../../../plans/logical/drafting/draft.js';

/** CADENZA's Table 1: name, category, output attributes; then what design.md adds. */
const table = `
OpTxtSplit structural SegIdx,Content
OpTxtOutline structural SecIdx,ParentIdx,Level,Title,Content
OpTxtTable structural TabIdx,RowIdx,ColName,CellValue
OpTxtNER attributive Entity,Score,Word
OpTxtCls attributive Label,Score
OpTxtSenti attributive Polarity,Score
OpTxtQA attributive Answer,Score
OpTxtClaim attributive ClaimSpan,Verdict,EvdSpan,Score
OpTxtRel associative Subject,Predicate,Object,Score
OpTxtEvent associative EvtIdx,Type,Role,Argument,Score
OpTxtNLI associative Label,Score
OpTxtCoref associative ClusterIdx,Span,Mention
OpTxtPairScore associative Score
OpTxtSum generative Summary
OpTxtTrans generative Translation
OpTxtRewrite generative Content
OpTxtEmbed latent Vector
OpImgRegion structural RegIdx,BBox,Mask
OpImgOCR structural Text,Score
OpImgCls attributive Label,Score
OpImgObj attributive BBox,Label,Score
OpImgKeypt attributive KptIdx,Point,Label
OpImgVQA attributive Answer,Score
OpImgSceneRel associative Subject,Predicate,Object,Score
OpImgPairScore associative Score
OpImgCap generative Caption
OpImgEdit generative Image
OpImgEmbed latent Vector
OpAudSeg structural SegIdx,Start,End,Content
OpAudASR structural Text,Score
OpAudCls attributive Label,Score
OpAudQA attributive Answer,Score
OpAudEmbed latent Vector
OpAudPairScore associative Score
OpTxtImgScore associative Score`
  .trim()
  .split('\n')
  .map((line) => line.split(' '));

test('the catalog holds these tasks with exactly these categories and outputs, and no others', () => {
  const found = tasks.map(({ name, category, outputs }) => [name, category, Object.keys(outputs).join(',')]);
  expect(found.sort()).toEqual(table.sort());
  expect(table.filter(([name = '']) => /^Op(Txt|Img)/.test(name) && name !== 'OpTxtImgScore')).toHaveLength(28);
});

test.each(tasks)(
  '$name: types are types, the prompt shows every input and needed parameter, traits name what is there',
  (task: Task) => {
    const types = [...Object.values(task.outputs), ...Object.values(task.inputs).map(({ type }) => type)];
    for (const type of types) expect(classOf(type), type).toBeDefined();
    expect(task.description).toMatch(/\.$/);
    const prompt = task.prompt.join('\n');
    for (const [name, { optional }] of Object.entries(task.inputs))
      if (optional !== true || name !== 'choices') expect(prompt).toContain(`{${name}}`);
    for (const name of Object.keys(task.params ?? {}).filter((param) => !['multi', 'type'].includes(param)))
      expect(prompt).toContain(`{${name}}`);
    const { partition, converts, textual, coarse } = task.traits ?? {};
    if (partition !== undefined) expect(task.inputs).toHaveProperty(partition.input);
    for (const name of partition?.indexes ?? []) expect(task.outputs).toHaveProperty(name);
    if (partition?.merge === 'best') expect(task.outputs).toHaveProperty('Score');
    if (converts !== undefined) expect(task.outputs[converts.output]).toBe('Text');
    for (const to of [textual, coarse]) {
      if (to === undefined) continue;
      const target = defaultCatalog.get(to.task)!;
      for (const [from, slot] of Object.entries(to.inputs)) {
        expect(task.inputs).toHaveProperty(from);
        expect(target.inputs).toHaveProperty(slot);
      }
    }
  },
);

test('a prompt leaves out the lines whose input or parameter is not there', () => {
  const qa = defaultCatalog.get('OpTxtQA')!;
  expect(taskPrompt(qa, { question: 'Who {won}?' }, ['text'])).toBe(
    'Answer the question from the text alone; with yes or no where it asks for that.\nQuestion: Who {won}?\nText: {text}',
  );
  const cls = defaultCatalog.get('OpTxtCls')!;
  expect(taskPrompt(cls, { labels: ['a', 'b'] }, ['text'])).toBe(
    'Which of the labels fits the text?\nLabels: a, b\nText: {text}',
  );
  expect([cardinalityOf(cls, { labels: ['a'] }), cardinalityOf(cls, { labels: ['a'], multi: true })]).toEqual([
    'one',
    'many',
  ]);
});

test('a new task is one registration: plans with it verify, and drafts of a planner may take it', () => {
  const catalog = catalogOf([
    ...tasks,
    {
      name: 'OpTxtToxicity',
      modality: 'text',
      category: 'attributive',
      description: 'Scores how toxic a text is.',
      inputs: { text: { type: 'Text' } },
      outputs: { Score: 'DOUBLE' },
      prompt: ['How toxic is this, from 0 to 1? {text}'],
    },
  ]);
  const posts = scan('posts', {
    schema: [
      { name: 'id', type: 'BIGINT' },
      { name: 'body', type: 'Text' },
    ],
    key: ['id'],
  });
  const scored = applyTask(catalog.get('OpTxtToxicity')!, posts, { bind: { text: 'body' } });
  const plan = project(select(scored, compare(column('Score'), '>=', threshold(0.8))), ['id']);
  const output = { schema: [{ name: 'id', type: 'BIGINT' }], rows: 'zero-or-one', key: ['id'] } as const;
  const { schema, key } = posts;
  expect(verifyPlan(encodePlan(plan), { relations: { posts: { schema, key } }, catalog, output })).toMatchObject({
    ok: true,
  });
  expect(
    verifyPlan(encodePlan(plan), { relations: { posts: { schema, key } }, catalog: defaultCatalog, output }),
  ).toMatchObject({ ok: false });
  const inputs = [{ name: 'posts', schema, key }];
  const draft = JSON.stringify(encodePlan(scored));
  const instance = { template: 'score', intent: 'How toxic is {body}?', inputs, adds: scored.outputs } as const;
  expect(readDraft(draft, instance, catalog)).toMatchObject({ ok: true });
  expect(readDraft(draft, instance, defaultCatalog)).toMatchObject({ ok: false });
});
