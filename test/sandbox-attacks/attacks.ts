/** Hostile code, and what must become of the row that it is given. */
import type { CodeFault } from '../../plans/physical/synthesis/code.js';

export interface Attack {
  readonly name: string;
  readonly source: string;
  /** Faults that are right, or `answer`: the attack reached nothing, and the code could answer with what it found. */
  readonly ends: readonly CodeFault[] | { readonly answer: string };
}

/** A limit of time or memory, whichever is met first on this machine. */
const limits: readonly CodeFault[] = ['timeout', 'memory', 'crashed'];
const limitsOrCaught: readonly CodeFault[] = [...limits, 'threw', 'too-large', 'not-json'];
const absent = (name: string): string => `(row) => ({ answer: typeof ${name} })`;

/** The rows of the table of attacks that the design was measured with. */
const measured: readonly Attack[] = [
  { name: 'an endless loop', source: '(row) => { while (true) {} }', ends: ['timeout'] },
  {
    name: 'a getter that never returns',
    source: '(row) => ({ get answer() { while (true) {} } })',
    ends: ['not-json'],
  },
  {
    name: 'toJSON that never returns',
    source: '(row) => ({ answer: { toJSON() { while (true) {} } } })',
    ends: ['not-json'],
  },
  {
    name: 'a regular expression that backtracks for ever',
    source: `(row) => ({ answer: String(/^(a+)+$/.test('${'a'.repeat(45)}!')) })`,
    ends: ['timeout'],
  },
  {
    name: 'a heap filled with arrays',
    source: '(row) => { const all = []; while (true) all.push(new Array(1000).fill(1)); }',
    ends: limits,
  },
  { name: 'a string that doubles', source: "(row) => { let s = 'x'; while (true) s += s; }", ends: limitsOrCaught },
  {
    name: 'many long strings',
    source: "(row) => { const all = []; while (true) all.push('x'.repeat(1e6) + all.length); }",
    ends: limits,
  },
  {
    name: 'a heap filled with buffers',
    source: '(row) => { const all = []; while (true) all.push(new Uint8Array(1e6)); }',
    ends: ['threw'],
  },
  { name: 'one native call that runs for a minute', source: "(row) => new Array(1e9).join('x')", ends: limits },
  {
    name: 'an integer that squares itself',
    source: '(row) => { let x = 3n; while (true) x *= x; }',
    ends: limitsOrCaught,
  },
  {
    name: 'a long replacement',
    source: "(row) => ({ answer: 'a'.repeat(1e6).replace(/a/g, 'b'.repeat(1e3)).slice(0, 1) })",
    ends: limitsOrCaught,
  },
  {
    name: 'a loop of long searches',
    source: "(row) => { const s = 'a'.repeat(1e6); while (true) s.indexOf('a'.repeat(5e5) + 'b'); }",
    ends: limits,
  },
  {
    name: 'a sort of three million elements',
    source: '(row) => ({ answer: String(Array.from({ length: 3e6 }, (_, i) => -i).sort()[0]) })',
    ends: limitsOrCaught,
  },
  { name: 'memory of WebAssembly', source: absent('WebAssembly'), ends: { answer: 'undefined' } },
  { name: 'recursion without end', source: '(row) => { const f = () => f() + 1; return f(); }', ends: ['threw'] },
  {
    name: 'an answer of 30 MB',
    source: "(row) => ({ answer: 'x'.repeat(3e7) })",
    ends: ['too-large', 'memory', 'timeout', 'threw', 'crashed'],
  },
  {
    name: 'a text of JSON nested a million deep',
    source: "(row) => JSON.parse('['.repeat(1e6) + ']'.repeat(1e6))",
    ends: limitsOrCaught,
  },
  {
    name: 'an answer nested a thousand deep',
    source: '(row) => { let a = 1; for (let i = 0; i < 1000; i++) a = [a]; return { answer: a }; }',
    ends: ['not-json'],
  },
  ...['process', 'require', 'fetch', 'Buffer', 'module', 'console', 'setTimeout'].map((name) => ({
    name: `the host's ${name}`,
    source: absent(name),
    ends: { answer: 'undefined' } as const,
  })),
  {
    name: 'code from text by the constructor of a function',
    source: "(row) => (() => 0).constructor('return globalThis')()",
    ends: ['threw'],
  },
  {
    name: 'code from text by the constructor of a generator',
    source: "(row) => (function* () {}).constructor('return 1')()",
    ends: ['threw'],
  },
  {
    name: "the constructor of the argument's constructor",
    source: "(row) => row.constructor.constructor('return process')()",
    ends: ['threw'],
  },
  {
    name: "the constructor of an error's constructor",
    source: "(row) => { try { null.x; } catch (e) { return e.constructor.constructor('return process')(); } }",
    ends: ['threw'],
  },
  {
    name: "a prototype in the host's objects",
    source: '(row) => { row.__proto__.polluted = 1; return null; }',
    ends: ['threw'],
  },
  { name: 'an import at run time', source: "(row) => import('node:fs')", ends: ['threw', 'crashed', 'not-json'] },
  {
    name: 'a prototype that is patched',
    source: '(row) => { Array.prototype.map = null; return null; }',
    ends: ['threw'],
  },
  { name: 'shared memory', source: absent('SharedArrayBuffer'), ends: { answer: 'undefined' } },
  { name: 'waiting on memory', source: absent('Atomics'), ends: { answer: 'undefined' } },
];

/** Further ones. */
const further: readonly Attack[] = [
  {
    name: 'an error whose message never comes',
    source: '(row) => { throw { get message() { while (true) {} } }; }',
    ends: ['timeout'],
  },
  {
    name: 'an error that cannot be shown',
    source: "(row) => { throw { toString() { throw 1; }, name: Symbol('x') }; }",
    ends: ['threw'],
  },
  {
    name: 'a loop that catches its own interruption',
    source: '(row) => { for (;;) { try { for (;;) {} } catch { } finally { } } }',
    ends: ['timeout'],
  },
  {
    name: 'memory that is filled again when it is full',
    source:
      '(row) => { const all = []; for (;;) { try { for (;;) all.push(new Array(1e4).fill(0)); } catch { all.length >>= 1; } } }',
    ends: limits,
  },
  { name: 'a sequence without end', source: '(row) => [...(function* () { for (;;) yield 1; })()]', ends: limits },
  {
    name: 'a key that is a prototype',
    source: '(row) => JSON.parse(\'{"answer": "x", "__proto__": {"polluted": 1}}\')',
    ends: ['wrong-type'],
  },
  {
    name: 'source that closes its own brackets',
    source: '(row) => 1), (() => { while (true) {} })(), ((row) => 1',
    ends: ['not-a-function', 'timeout'],
  },
  { name: 'source of two functions', source: '(row) => 1), ((row) => 2', ends: ['not-a-function'] },
  { name: 'source that comments its end away', source: '(row) => null //', ends: ['not-a-function'] },
  { name: 'source that is cut', source: '(row) => {', ends: ['not-a-function'] },
  { name: 'an answer that computes itself', source: '(row) => ({ get answer() { return "x"; } })', ends: ['not-json'] },
  { name: 'a thenable', source: '(row) => ({ answer: "x", then(f) { f(1); } })', ends: ['not-json'] },
  {
    name: 'an asynchronous function',
    source: 'async (row) => ({ answer: "x" })',
    ends: ['not-a-function', 'not-json'],
  },
  { name: 'a cycle', source: '(row) => { const a = {}; a.answer = a; return a; }', ends: ['not-json'] },
  { name: 'no number', source: '(row) => ({ answer: "x", confidence: 0 / 0 })', ends: ['not-json'] },
  { name: 'nothing', source: '(row) => {}', ends: ['not-json'] },
  { name: 'the wrong type', source: '(row) => ({ answer: 1 })', ends: ['wrong-type'] },
  { name: 'a list of a billion', source: '(row) => ({ answer: new Array(1e9) })', ends: ['too-large'] },
  { name: 'a text of a billion', source: "(row) => ({ answer: 'x'.repeat(2 ** 30) })", ends: limitsOrCaught },
  {
    name: 'the caller of the caller, and its source',
    source: '(row) => (function f() { return f.caller || arguments.callee.caller; })()',
    ends: ['threw'],
  },
  { name: 'the clock', source: absent('Date + typeof performance'), ends: { answer: 'undefinedundefined' } },
  { name: 'chance', source: absent('Math.random'), ends: { answer: 'undefined' } },
  { name: 'weak references, which tell of memory', source: absent('WeakRef'), ends: { answer: 'undefined' } },
];

export const attacks: readonly Attack[] = [...measured, ...further];

/** Code that would remember the rows before, each with what every row must answer. */
export const leaks: readonly {
  readonly name: string;
  readonly source: string;
  readonly ends: 'threw' | { readonly answer: string };
}[] = [
  { name: 'a global', source: '(row) => { globalThis.n = (globalThis.n || 0) + 1; return null; }', ends: 'threw' },
  { name: 'a name that was never declared', source: '(row) => { n = 1; return null; }', ends: 'threw' },
  {
    name: "the code's own properties",
    source: 'function f(row) { f.n = (f.n || 0) + 1; return { answer: String(f.n) }; }',
    ends: 'threw',
  },
  {
    name: "properties of the code's prototype",
    source: 'function f(row) { f.prototype.n = 1; return null; }',
    ends: 'threw',
  },
  { name: 'a built-in function', source: '(row) => { [].map.n = 1; return null; }', ends: 'threw' },
  { name: "a helper's properties", source: '(row) => { parseDate.n = 1; return null; }', ends: 'threw' },
  { name: 'a prototype of iterators', source: '(row) => { [][Symbol.iterator]().__proto__.n = 1; }', ends: 'threw' },
  {
    name: 'a prototype of generators',
    source: '(row) => { (function* () {})().__proto__.__proto__.n = 1; }',
    ends: 'threw',
  },
  {
    name: 'the place of a regular expression',
    source: "(row) => { const r = /a/g; r.test('aa'); return { answer: String(r.lastIndex) }; }",
    ends: { answer: '1' },
  },
  {
    name: 'the parts of a template',
    source: '(row) => { ((s) => { s.n = 1; })`x`; return null; }',
    ends: 'threw',
  },
  { name: 'a registered symbol', source: "(row) => { Symbol.for('x').n = 1; return null; }", ends: 'threw' },
  {
    name: 'a built-in redefined',
    source: "(row) => { Object.defineProperty([].map, 'name', { value: 'n' }); return null; }",
    ends: 'threw',
  },
];
