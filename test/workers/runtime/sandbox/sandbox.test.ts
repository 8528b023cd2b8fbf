import { spawnSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodeRow } from '../../../../plans/physical/synthesis/code.js';
import { childFlags, permissionFlag } from '../../../../workers/runtime/sandbox/node-flags.js';
import { openSandbox, type Sandbox } from '../../../../workers/runtime/sandbox/open.js';
import { readReply } from '../../../../workers/runtime/sandbox/replies.js';

const { signal } = new AbortController();
const text = { kind: 'string' } as const;
const numbered = (count: number): readonly CodeRow[] => Array.from({ length: count }, (_, i) => ({ i }));
const echo = '(row) => ({ answer: String(row.i) })';
const echoed = (rows: readonly CodeRow[]) => rows.map(({ i }) => ({ state: 'ok', value: JSON.stringify(i) }));

describe('a sandbox', () => {
  let sandbox: Sandbox;
  beforeAll(() => {
    sandbox = openSandbox({ children: 2 });
  });
  afterAll(() => sandbox.close());

  it('answers rows in their order, over batches and children', async () => {
    const rows = numbered(1001);
    expect(await sandbox.run({ source: echo, output: text }, rows, signal)).toEqual(echoed(rows));
  });

  it('answers no rows with nothing', async () => {
    expect(await sandbox.run({ source: echo, output: text }, [], signal)).toEqual([]);
  });

  it('carries any text of a row and an answer unharmed', async () => {
    const texts = ['\u2028 \u2029 \n \r\n', '"\\', '\ud83d\ude00 日本', '</script>', '\u0000\u001f', '`${1}`'];
    const code = { source: '(row) => ({ answer: row.t })', output: text };
    const outcomes = await sandbox.run(
      code,
      texts.map((t) => ({ t })),
      signal,
    );
    expect(outcomes).toEqual(texts.map((value) => ({ state: 'ok', value })));
  });

  it('abstains with null, and passes confidence on', async () => {
    const code = { source: '(row) => row.i < 1 ? null : ({ answer: "x", confidence: 0.25 })', output: text };
    expect(await sandbox.run(code, numbered(2), signal)).toEqual([
      { state: 'abstained' },
      { state: 'ok', value: 'x', confidence: 0.25 },
    ]);
  });

  it('keeps a fault to its row', async () => {
    const source = '(row) => { if (row.i === 9998) throw new Error("on purpose"); return { answer: String(row.i) }; }';
    const outcomes = await sandbox.run({ source, output: text }, numbered(10_000), signal);
    expect(outcomes.filter(({ state }) => state !== 'ok')).toEqual([
      { state: 'failed', fault: 'threw', message: 'Error: on purpose' },
    ]);
    expect(outcomes[9998]).toMatchObject({ state: 'failed' });
  });

  it.each([
    ['an endless loop', 'while (true) {}', 'timeout'],
    ['a native call that no engine interrupts', "new Array(1e9).join('x')", 'timeout'],
  ])('finds the row to blame: %s', async (_, harm, fault) => {
    const rows = numbered(150);
    const source = `(row) => { if (row.i === 57) { ${harm}; } return { answer: String(row.i) }; }`;
    const outcomes = await sandbox.run({ source, output: text }, rows, signal);
    expect(outcomes[57]).toMatchObject({ state: 'failed', fault });
    expect(outcomes.filter((_outcome, at) => at !== 57)).toEqual(echoed(rows.filter(({ i }) => i !== 57)));
  });

  it('does not blame a row for a batch that is long as a whole', async () => {
    const source =
      '(row) => { let n = 0; for (let i = 0; i < 3e5; i++) n += i % 7; return { answer: String(row.i) }; }';
    const rows = numbered(100);
    expect(await sandbox.run({ source, output: text }, rows, signal)).toEqual(echoed(rows));
  });

  it('disables code at the third strike, and no other code', async () => {
    const source = '(row) => { if (row.i < 5) while (true) {} return { answer: String(row.i) }; }';
    const one = openSandbox({ children: 1, softMs: 30 });
    try {
      const outcomes = await one.run({ source, output: text }, numbered(300), signal);
      const faults = outcomes.map((outcome) => (outcome.state === 'failed' ? outcome.fault : outcome.state));
      expect(faults).toEqual([...Array<string>(3).fill('timeout'), ...Array<string>(297).fill('disabled')]);
      expect((await one.run({ source, output: text }, [{ i: 9 }], signal))[0]).toMatchObject({ fault: 'disabled' });
      expect(await one.run({ source: echo, output: text }, [{ i: 9 }], signal)).toEqual(echoed([{ i: 9 }]));
    } finally {
      await one.close();
    }
  });

  it('refuses a row that is too long and answers the others', async () => {
    const outcomes = await sandbox.run(
      { source: echo, output: text },
      [{ i: 'x'.repeat(1_000_001) }, { i: 1 }],
      signal,
    );
    expect(outcomes).toMatchObject([
      { state: 'failed', fault: 'too-large' },
      { state: 'ok', value: '1' },
    ]);
  });

  it('stops when it is told to', async () => {
    const stop = new AbortController();
    const running = sandbox.run(
      { source: '(row) => new Array(1e9).join("x")', output: text },
      numbered(1),
      stop.signal,
    );
    setTimeout(() => stop.abort(new Error('enough')), 50);
    await expect(running).rejects.toThrow('enough');
  });

  it('says what is wrong with a source that is no program', async () => {
    const outcomes = await sandbox.run({ source: '(row) => {', output: text }, numbered(3), signal);
    expect(outcomes).toHaveLength(3);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ fault: 'not-a-function' });
  });
});

describe("a child's rights", () => {
  const run = (program: string) =>
    spawnSync(process.execPath, [...childFlags(process.versions.node, [], 64), '-e', program], {
      env: {},
      encoding: 'utf8',
    });
  it.each([
    ['reading files', "require('node:fs').readFileSync('/etc/hostname')"],
    ['writing files', "require('node:fs').writeFileSync('/tmp/fermata-never', '')"],
    ['starting programs', "require('node:child_process').spawnSync('true')"],
    ['starting threads', "new (require('node:worker_threads').Worker)('1', { eval: true })"],
  ])('do not allow %s', (_, program) => {
    const { stderr, status } = run(program);
    expect(status).not.toBe(0);
    expect(stderr).toContain('ERR_ACCESS_DENIED');
  });

  it('hold no environment', () => {
    expect(run('console.log(Object.keys(process.env).length)').stdout).toBe('0\n');
  });

  it.each([
    ['20.19.0', '--experimental-permission'],
    ['22.12.0', '--experimental-permission'],
    ['22.13.0', '--permission'],
    ['23.4.0', '--experimental-permission'],
    ['23.5.0', '--permission'],
    ['24.0.0', '--permission'],
  ])('are taken by the flag of Node %s', (version, flag) => {
    expect(permissionFlag(version)).toBe(flag);
  });
});

describe('a reply of a child', () => {
  it.each([
    ['no JSON', 'x', 1],
    ['another shape', '{"answers": []}', 1],
    ['too few results', '{"results": ["=1"]}', 2],
    ['too many results', '{"results": ["=1", "=2"]}', 1],
    ['an unknown reason', '{"results": [], "stopped": "tired"}', 1],
    ['all results, and a reason why not', '{"results": ["=1"], "stopped": "timeout"}', 1],
    ['a result that is no text', '{"results": [1]}', 1],
  ])('is none: %s', (_, line, rows) => {
    expect(readReply(line, rows)).toBeUndefined();
  });
});
