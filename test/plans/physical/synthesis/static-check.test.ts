import { createContext, Script } from 'node:vm';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { staticProblems } from '../../../../plans/physical/synthesis/static-check.js';

describe('a source without problems', () => {
  it.each([
    '(row) => ({ answer: /good/i.test(row.review) })',
    'row => null',
    'function (row) { return null; }',
    'function verdict(row) {\n  // import nothing; async is a word here\n  return { answer: "await" };\n}',
    '(row) => { const s = `${row.a} is ${ { a: `${1}` }.a } with {`; return { answer: s }; }',
    '(row) => { const r = /[/}]\\/x/.source; return row.a / 2 / row.b > 1 ? null : null; }',
    '(row) => ({ answer: row.import, process: 1, async: 2 }.async)',
    '({ text, n }) => n > 3 ? { answer: text } : null',
    '(row) => { if (row.a) { return null; } return { answer: [1, 2].map((x) => x + 1) }; }',
    '/* what it is for */ (row) => null',
  ])('%s', (source) => {
    expect(staticProblems(source)).toEqual([]);
    expect(() => new Script(`(${source}\n)`)).not.toThrow();
  });
});

describe('a source with problems', () => {
  it.each([
    ['(row) => import("fs")', '`import`'],
    ['async (row) => null', '`async`'],
    ['(row) => { with (row) { return null; } }', '`with`'],
    ['(row) => eval("1")', '`eval`'],
    ['(row) => new Date()', 'parseDate'],
    ['(row) => `${import("fs")}`', '`import`'],
    ['(row) => 1), ((row) => 2', 'bracket'],
    ['(row) => 1, (row) => 2', 'one function expression'],
    ['(row) => { return 1; }; while (true) {}', 'one function expression'],
    ['function f(row) { return null; }()', 'one function expression'],
    ['const f = (row) => null;', 'one function expression'],
    ['({ answer: 1 })', 'one function expression'],
    ['', 'one function expression'],
    ['(row) =>', 'one function expression'],
    ['(row) => {', 'missing'],
    ["(row) => 'abc", 'not closed'],
    ['(row) => `abc${1}', 'not closed'],
    ['(row) => { /abc }', 'not closed'],
    [`(row) => "${'x'.repeat(8200)}"`, 'bytes'],
    [`(row) => "${'日'.repeat(2800)}"`, 'bytes'],
  ])('%s', (source, problem) => {
    expect(staticProblems(source).join('\n')).toContain(problem);
  });

  it('never fails itself, whatever the text', () => {
    const parts = fc.constantFrom(
      '(',
      ')',
      '{',
      '}',
      '`',
      '${',
      "'",
      '"',
      '/',
      '//',
      '/*',
      '*/',
      '\\',
      '=>',
      'row',
      '\n',
      ' ',
      ',',
      'import',
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(parts, fc.string()), { maxLength: 40 }), (all) => {
        expect(Array.isArray(staticProblems(all.join('')))).toBe(true);
      }),
    );
  });

  it('lets nothing pass that is more than one function expression', () => {
    const parts = fc.constantFrom('(row) => ', '{', '}', 'null', ';', ',', '(', ')', 'function f(row) ', '[', ']', '1');
    const context = createContext({});
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 12 }), (all) => {
        const source = all.join('').trim();
        if (staticProblems(source).length > 0) return;
        let made: unknown;
        try {
          made = new Script(`(${source}\n)`).runInContext(context);
        } catch {
          return;
        }
        expect(String(made)).toBe(source);
      }),
      { numRuns: 3000 },
    );
  });
});
