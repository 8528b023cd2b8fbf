import { afterAll, describe, expect, it } from 'vitest';
import { checkCode } from '../../../activities/synthesis/check-code.js';
import { openSandbox } from '../../../workers/runtime/sandbox/open.js';

const sandbox = openSandbox({ children: 1 });
afterAll(() => sandbox.close());
const { signal } = new AbortController();
const columns = [
  { name: 'review', kind: 'text' },
  { name: 'stars', kind: 'number' },
] as const;
const samples = [
  { review: 'good food', stars: 5 },
  { review: 'cold soup', stars: 1 },
];
const problems = (source: string) =>
  checkCode(sandbox, { source, output: { kind: 'boolean' } }, columns, samples, signal);

describe('a check of generated code', () => {
  it('lets code pass that does its work', async () => {
    expect(await problems('(row) => row.stars === null ? null : ({ answer: row.stars > 3, confidence: 0.9 })')).toEqual(
      [],
    );
  });

  it.each([
    ['reads a column that is not there', '(row) => ({ answer: row.text.includes("x") })', 'TypeError'],
    ['returns another type', '(row) => ({ answer: row.review })', 'answer is not true or false'],
    ['breaks on an odd row', '(row) => ({ answer: row.stars.toFixed(1) > 3 })', 'TypeError'],
    ['never knows', '(row) => null', 'No sample row had an answer'],
    ['never ends', '(row) => { while (true) {} }', 'ran longer'],
    ['asks for chance', '(row) => ({ answer: Math.random() > 0.5 })', 'TypeError'],
    ['is no function', '1 + 1', 'one function expression'],
    ['is no program', '(row) => { return 1 +; }', 'unexpected token'],
  ])('finds code that %s', async (_, source, problem) => {
    expect((await problems(source)).join('\n')).toContain(problem);
  });
});
