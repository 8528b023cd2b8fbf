import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { tableFromArrays } from 'apache-arrow';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RoutedPlan } from '../../../plans/physical/routed/plan.js';
import { savedPlan } from '../../../client/saved-plans.js';
import { profileOf } from '../../../plans/drift/profile.js';
import { planFile } from '../../../plans/protocol/plan-file.schema.js';
import { planSignature } from '../../../plans/physical/routed/signature.js';
import { exitCodes } from '../../../plans/protocol/errors.js';
import { planObjects, type SavedPlan } from '../../../plans/protocol/saved-plan.js';
import { LocalObjectStore } from '../../../workers/runtime/objects/local.js';
import { fakeCli } from '../../support/fake-cli.js';
import { fakeFermata } from '../../support/fake-fermata.js';

const plan: RoutedPlan = {
  version: 1,
  signature: planSignature({
    id: 'f0',
    role: 'filter',
    parameters: { kind: 'filter' },
    template: 'Is {0} good?',
    inputs: [{ sql: 'text', label: 'text', modality: 'text' }],
    output: { kind: 'boolean' },
    position: 0,
  }),
  implementations: [
    {
      family: 'symbolic',
      name: 'rules',
      program: {
        kind: 'list',
        rules: [{ test: { kind: 'term', column: 'input0', term: 'fine' }, label: 'true', confidence: 0.9 }],
        otherwise: { label: 'false', confidence: 0.6 },
      },
      usd: 0,
      seconds: 0,
    },
    { family: 'general', name: 'large', model: 'large', usd: 0.01, seconds: 1 },
  ],
  router: { scorer: { form: 'linear', bias: 0.5, terms: [] }, logits: [Math.log(3), 0] },
  thresholds: [0.7, 0],
  safety: { model: 'large', margin: 0, share: 0.5 },
};
const measured = { latencySeconds: 1, interval: { lower: 0.5, upper: 1 } };
const saved = (id: string, savedAt: number): SavedPlan => ({
  ...{ v: 1, id, runId: 'o-1', savedAt, metric: 'f1', labelled: 50, plan },
  direct: { ...measured, trial: 0, utility: 0.3, quality: 1, costUsd: 0.5 },
  measured: { ...measured, trial: 4, utility: 0.62, quality: 0.9, costUsd: 0.1 },
});

const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
let dir: string;
let store: LocalObjectStore;
const put = (name: string, value: unknown) => store.putNamed(name, new TextEncoder().encode(JSON.stringify(value)));
const newFermata = () => fakeFermata([{ table: tableFromArrays({ id: Int32Array.of(1) }) }]);
const cliOf = (fermata = newFermata()) =>
  fakeCli({ services: { store: () => Promise.resolve(store) }, cwd: dir, fermata });

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'fermata-plans-'));
  store = new LocalObjectStore({ kind: 'local', dir: join(dir, 'store') });
  await put(planObjects.one('p-0000000001'), saved('p-0000000001', 1_000));
  await put(planObjects.one('p-0000000002'), saved('p-0000000002', 2_000));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

describe('plans', () => {
  it('are listed, the latest first, and shown in words', async () => {
    const cli = cliOf();
    expect(await cli.run('plans', 'list')).toBe(0);
    const [, first, second] = cli.stdout.text().split('\n');
    expect(first).toMatch(/^p-0000000002 .*0\.620 +0\.300 +0\.900 +\$0\.002000 +0 +filter "Is \{0\} good\?"$/);
    expect(second).toContain('p-0000000001');
    const shown = cliOf();
    expect(await shown.run('plans', 'show', 'p-0000000001')).toBe(0);
    expect(shown.stdout.text()).toContain(
      'f1 0.900 instead of 1.000, $0.002000 a row instead of $0.0100, on 50 labels of run o-1',
    );
    expect(shown.stdout.text()).toContain('1. rules: 75 % of the rows, answers less sure than 0.70 go on to the next');
    expect(shown.stdout.text()).toContain('if input0 has "fine": true (90 %)');
    expect(shown.stdout.text()).toContain('2. large: 25 % of the rows\n');
  });

  it('say how often queries took them, and forget that with the plan', async () => {
    const use = (run: string, at: number) => put(planObjects.use('p-0000000001', run, 'f0'), { v: 1, at });
    await use('q-1', 5_000);
    await use('q-2', 4_000);
    const shown = cliOf();
    expect(await shown.run('plans', 'show', 'p-0000000001')).toBe(0);
    expect(shown.stdout.text()).toContain('taken by 2 calls of queries with --optimize, last at 1970-01-01T00:00:05Z');
    expect(await cliOf().run('plans', 'forget', 'p-0000000001')).toBe(0);
    await put(planObjects.one('p-0000000001'), saved('p-0000000001', 1_000));
    const again = cliOf();
    await again.run('plans', 'list', '--json');
    const listed = (JSON.parse(again.stdout.text()) as { plans: { id: string; uses: number }[] }).plans;
    expect(listed.map(({ id, uses }) => [id, uses])).toEqual([
      ['p-0000000002', 0],
      ['p-0000000001', 0],
    ]);
  });

  it('are exported as what a routed query reads, and read by their id', async () => {
    const cli = cliOf();
    expect(await cli.run('plans', 'export', 'p-0000000001', '--out', 'plan.json')).toBe(0);
    expect(JSON.parse(await readFile(join(dir, 'plan.json'), 'utf8'))).toEqual(plan);
    const piped = cliOf();
    expect(await piped.run('plans', 'export', 'p-0000000001')).toBe(0);
    expect(JSON.parse(piped.stdout.text())).toEqual(plan);

    const asked = newFermata();
    expect(await cliOf(asked).run('query', 'SELECT 1', '--strategy', 'routed', '--plan', 'p-0000000002')).toBe(0);
    expect(asked.started[0]!.options.strategy).toEqual({ kind: 'routed', plan });
  });

  it('are forgotten only where all that are named are there', async () => {
    expect(await cliOf().run('plans', 'forget', 'p-0000000001', 'p-00000000ff')).toBe(exitCodes.failed);
    const cli = cliOf();
    expect(await cli.run('plans', 'forget', 'p-0000000001', '--json')).toBe(0);
    expect(JSON.parse(cli.stdout.text())).toEqual({ schema: 'fermata/plans/1', forgotten: ['p-0000000001'] });
    const left = cliOf();
    await left.run('plans', 'list', '--json');
    expect((JSON.parse(left.stdout.text()) as { plans: SavedPlan[] }).plans).toEqual([
      { ...saved('p-0000000002', 2_000), uses: 0 },
    ]);
  });

  it.each([
    ['p-00000000ff', 'there is no plan p-00000000ff'],
    ['../secrets', 'there is no plan ../secrets'],
  ])('%s is not there', async (id, message) => {
    const cli = cliOf();
    expect(await cli.run('plans', 'show', id)).toBe(exitCodes.failed);
    expect(cli.stderr.text()).toContain(message);
  });

  it('that were tampered with are refused', async () => {
    await put(planObjects.one('p-0000000001'), { ...saved('p-0000000001', 1), plan: { ...plan, thresholds: [2, 0] } });
    const cli = cliOf();
    expect(await cli.run('plans', 'export', 'p-0000000001')).toBe(exitCodes.usage);
    expect(cli.stderr.text()).toContain('thresholds');
    await put(planObjects.one('p-0000000001'), { v: 7 });
    const other = cliOf();
    expect(await other.run('plans', 'show', 'p-0000000001')).toBe(exitCodes.usage);
    expect(other.stderr.text()).toContain('plans/p-0000000001.json in the store is no saved plan');
  });

  const conditions = {
    weights: { quality: 1, latency: 0.4, cost: 0.3 },
    teacher: 'large',
    direct: 'large',
    backends: { large: 'openai:large' },
  };
  const texts = Array.from({ length: 40 }, (_, at) => [
    `the soup was ${at % 2 === 0 ? 'good' : 'bad'} and it was cold`,
  ]);
  const whole = (id: string, savedAt: number): SavedPlan => ({
    ...saved(id, savedAt),
    conditions,
    profile: profileOf(texts, 400, plan.router.scorer),
    settings: [{ shares: { rules: 0.75, large: 0.25 }, thresholds: { rules: 0.7, large: 0 } }],
  });
  const markOf = async (id: string) => {
    const cli = cliOf();
    await cli.run('plans', 'list', '--json');
    const { plans } = JSON.parse(cli.stdout.text()) as { plans: { id: string; mark?: string }[] };
    return plans.find((one) => one.id === id)?.mark;
  };

  it('are pinned, and go back to the one before that was made under the same conditions', async () => {
    await put(planObjects.one('p-0000000001'), whole('p-0000000001', 1_000));
    await put(planObjects.one('p-0000000002'), whole('p-0000000002', 2_000));
    await put(planObjects.one('p-0000000003'), { ...whole('p-0000000003', 1_500), conditions: undefined });
    expect(await cliOf().run('plans', 'pin', 'p-0000000002')).toBe(0);
    expect(await markOf('p-0000000002')).toBe('pinned');
    const cli = cliOf();
    expect(await cli.run('plans', 'rollback', 'p-0000000002', '--json')).toBe(0);
    expect(JSON.parse(cli.stdout.text())).toMatchObject({ rolledBack: 'p-0000000002', plan: 'p-0000000001' });
    expect(await markOf('p-0000000002')).toBe('retired');
    const first = cliOf();
    expect(await first.run('plans', 'rollback', 'p-0000000001')).toBe(exitCodes.failed);
    expect(first.stderr.text()).toContain('there is no plan before p-0000000001');
    expect(await markOf('p-0000000001')).toBeUndefined();
    expect(await cliOf().run('plans', 'unpin', 'p-0000000002')).toBe(0);
    expect(await markOf('p-0000000002')).toBeUndefined();
    expect(await cliOf().run('plans', 'pin', 'p-00000000ff')).toBe(exitCodes.failed);
  });

  it('are compared side by side', async () => {
    await put(planObjects.one('p-0000000001'), whole('p-0000000001', 1_000));
    const long = texts.map(([text = '']) => [text.repeat(9)]);
    await put(planObjects.one('p-0000000002'), {
      ...whole('p-0000000002', 2_000),
      profile: profileOf(long, 400, plan.router.scorer),
      plan: { ...plan, thresholds: [0, 0], router: { ...plan.router, logits: [0, 0] } },
      conditions: { ...conditions, teacher: 'huge' },
    });
    const cli = cliOf();
    expect(await cli.run('plans', 'diff', 'p-0000000001', 'p-0000000002')).toBe(0);
    const text = cli.stdout.text();
    expect(text).toMatch(/^rules +75 %, sure from 0\.70 +50 %$/m);
    expect(text).toMatch(/^large +25 % +50 %$/m);
    expect(text).toContain('of p-0000000001: its labels are those of large');
    expect(text).toMatch(/they were made for other data: .*\(PSI/);
    expect(text).not.toContain('their rules differ');
  });

  it('travel as a file to another project, where they are the latest', async () => {
    await put(planObjects.one('p-0000000001'), whole('p-0000000001', 1_000));
    expect(await cliOf().run('plans', 'export', 'p-0000000001', '--whole', '--out', 'plan.json')).toBe(0);
    await put(planObjects.mark('p-0000000001'), { v: 1, mark: 'retired', at: 1 });
    expect(await cliOf().run('plans', 'import', 'plan.json')).toBe(0);
    expect(await markOf('p-0000000001')).toBeUndefined();
    const kept = await savedPlan(store, 'p-0000000001');
    expect(kept).toEqual({ ...whole('p-0000000001', 1_000), savedAt: kept.savedAt });
    expect(kept.savedAt).toBeGreaterThan(2_000);
  });

  it.each([
    ['{"version": 1}', 'it is not what `fermata plans export --whole` writes'],
    ['{', 'it is not JSON'],
    [`${'['.repeat(200)}${']'.repeat(200)}`, 'it is nested deeper than 40 levels'],
  ])('are not imported from %s', async (text, message) => {
    await writeFile(join(dir, 'plan.json'), text);
    const cli = cliOf();
    expect(await cli.run('plans', 'import', 'plan.json')).toBe(exitCodes.usage);
    expect(cli.stderr.text()).toContain(message);
  });

  it('are not imported from a file of a newer version, or one that was changed', async () => {
    await put(planObjects.one('p-0000000001'), whole('p-0000000001', 1_000));
    const cli = cliOf();
    await cli.run('plans', 'export', 'p-0000000001', '--whole');
    const exported = cli.stdout.text();
    const refusal = async (text: string) => {
      await writeFile(join(dir, 'plan.json'), text);
      const refused = cliOf();
      expect(await refused.run('plans', 'import', 'plan.json')).toBe(exitCodes.usage);
      return refused.stderr.text();
    };
    expect(await refusal(exported.replace('"version": 1', '"version": 2'))).toContain(
      'it is of version 2, this program reads version 1',
    );
    expect(await refusal(exported.replace('"fine"', '"awful"'))).toContain('it was changed after it was exported');
    // Whoever makes the checksum anew still cannot bring in what no plan may have.
    const { saved: inner } = JSON.parse(exported) as { saved: SavedPlan };
    const forged = (change: object) => planFile({ ...inner, ...change }, hashOf);
    expect(await refusal(forged({ plan: { ...plan, thresholds: [2, 0] } }))).toContain('thresholds');
    expect(await refusal(forged({ id: '../../runs/x' }))).toContain('saved.id: no id of a plan');
    expect(await refusal(forged({ labelled: -1 }))).toContain('saved.labelled');
  });

  it('are none at first', async () => {
    await store.removeNamed(planObjects.all);
    const cli = cliOf();
    expect(await cli.run('plans', 'list')).toBe(0);
    expect(cli.stdout.text()).toBe('no plan is kept: fermata optimize finds some\n');
  });
});
