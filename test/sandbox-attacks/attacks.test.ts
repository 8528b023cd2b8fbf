import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CodeOutcome } from '../../plans/physical/synthesis/code.js';
import type { ChildUse } from '../../workers/runtime/sandbox/child.js';
import { openSandbox } from '../../workers/runtime/sandbox/open.js';
import { attacks, leaks } from './attacks.js';

const { signal } = new AbortController();
const used: ChildUse[] = [];
const sandbox = openSandbox({ children: 3, observe: (use) => used.push(use) });
const outcomes = new Map<string, readonly CodeOutcome[]>();

beforeAll(async () => {
  await Promise.all(
    [...attacks, ...leaks].map(async ({ name, source }) => {
      const rows = leaks.some((leak) => leak.name === name) ? [{ a: 1 }, { a: 2 }, { a: 3 }] : [{ a: 'x' }];
      outcomes.set(name, await sandbox.run({ source, output: { kind: 'string' } }, rows, signal));
    }),
  );
});
afterAll(() => sandbox.close());

describe('generated code that attacks', () => {
  it.each(attacks)('$name', ({ name, ends }) => {
    const [outcome] = outcomes.get(name) ?? [];
    if ('answer' in ends) expect(outcome).toEqual({ state: 'ok', value: ends.answer });
    else {
      expect(outcome).toMatchObject({ state: 'failed' });
      expect(ends).toContain(outcome?.state === 'failed' ? outcome.fault : undefined);
    }
  });
});

describe('generated code that would remember', () => {
  it.each(leaks)('$name', ({ name, ends }) => {
    const [first, ...rest] = outcomes.get(name) ?? [];
    expect(first).toMatchObject(
      ends === 'threw' ? { state: 'failed', fault: 'threw' } : { state: 'ok', value: ends.answer },
    );
    expect(rest).toEqual([first, first]);
  });
});

describe('after all of them', () => {
  it('no batch had more than a second of a processor, and no child more than 200 MB', () => {
    expect(used.length).toBeGreaterThan(attacks.length / 2);
    expect(Math.max(...used.map(({ cpuMs }) => cpuMs))).toBeLessThanOrEqual(1000);
    expect(Math.max(...used.map(({ rssMb }) => rssMb))).toBeLessThanOrEqual(200);
  });

  it('the host is as it was', () => {
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.keys(Object.prototype)).toEqual([]);
    expect([1].map((n) => n + 1)).toEqual([2]);
  });

  it('the sandbox answers as before', async () => {
    const code = { source: "(row) => ({ answer: row.a + '!' })", output: { kind: 'string' } } as const;
    const rows = Array.from({ length: 250 }, (_, at) => ({ a: String(at) }));
    expect(await sandbox.run(code, rows, signal)).toEqual(rows.map(({ a }) => ({ state: 'ok', value: `${a}!` })));
  });
});
