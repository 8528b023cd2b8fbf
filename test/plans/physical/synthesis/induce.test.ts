import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readTruth } from '../../../../cli/demo/truth.js';
import { labelF1 } from '../../../../plans/evaluation/labels.js';
import { induceRules } from '../../../../plans/physical/synthesis/induce.js';
import { learnList } from '../../../../plans/physical/synthesis/learn-list.js';
import {
  describeRules,
  patterns,
  type RuleProgram,
  type RuleRow,
  runRules,
} from '../../../../plans/physical/synthesis/rules.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';

const row = (text: string, price: number | null = null): RuleRow => ({ texts: { text }, numbers: { price } });
const columns = { texts: ['text'], numbers: ['price'] };

describe('rules from the demo’s complaints', () => {
  it('tell crashes from others on complaints unseen, far above always saying no', async () => {
    const complaints = await readTruth();
    const rows = complaints.map(({ summary }) => row(summary));
    const labels = complaints.map(({ crash }) => String(crash));
    const { program, heldOut } = induceRules(rows, labels, columns, 1);
    expect(heldOut).toMatchObject({ rows: 126, majority: 96 / 126 });
    expect(heldOut!.macroF1).toBeGreaterThan(0.7);
    expect(heldOut!.accuracy).toBeGreaterThan(96 / 126);
    expect(heldOut!.interval.lower).toBeLessThan(heldOut!.accuracy);
    const named = rows.map((one) => runRules(program)(one).label);
    expect(labelF1(named, labels, 'true')).toBeGreaterThan(0.7);
    expect(describeRules(program).join('\n')).toMatch(/crash|accident|hit|struck|collision/);
  });

  it('name the components that have eight complaints or more better than the most frequent one does', async () => {
    const all = await readTruth();
    const complaints = all.filter(({ component }) => all.filter((other) => other.component === component).length >= 8);
    const rows = complaints.map(({ summary }) => row(summary));
    const { heldOut } = induceRules(
      rows,
      complaints.map(({ component }) => component),
      { texts: ['text'], numbers: [] },
      1,
    );
    expect(heldOut!.accuracy).toBeGreaterThan(heldOut!.majority + 0.05);
  });
});

describe('a decision list', () => {
  it('finds a threshold, a pattern and a word where they decide', () => {
    const random = mulberry32(3);
    const rows = Array.from({ length: 200 }, (_, at) => {
      const price = Math.round(random.uniform() * 100);
      return row(`${at % 5 === 0 ? 'refund' : 'thanks'} for it ${at % 7 === 0 ? 'at 20 %' : ''}`, price);
    });
    const labels = rows.map(({ texts, numbers }) => {
      if (texts['text']!.includes('%')) return 'offer';
      if (texts['text']!.includes('refund')) return 'complaint';
      return numbers['price']! >= 70 ? 'dear' : 'other';
    });
    const list = learnList(rows, labels, columns);
    const run = runRules(list);
    expect(rows.filter((one, at) => run(one).label === labels[at]).length).toBeGreaterThan(190);
    expect(new Set(list.rules.map(({ test }) => test.kind)).has('atLeast')).toBe(true);
  });

  it('asks nothing of a number that is null', () => {
    const program: RuleProgram = {
      kind: 'list',
      rules: [
        { test: { kind: 'below', column: 'price', threshold: 5 }, label: 'a', confidence: 1 },
        { test: { kind: 'atLeast', column: 'price', threshold: 5 }, label: 'b', confidence: 1 },
      ],
      otherwise: { label: 'c', confidence: 0.5 },
    };
    expect([4, 5, null].map((price) => runRules(program)(row('', price)).label)).toEqual(['a', 'b', 'c']);
    expect(() => runRules(program)({ texts: {}, numbers: {} })).toThrow(RangeError);
  });
});

describe('induction', () => {
  it('learns a direction where only embeddings tell', () => {
    const random = mulberry32(5);
    const rows = Array.from({ length: 80 }, (_, at) => {
      const vector = Float32Array.from(
        { length: 8 },
        (_v, d) => random.normal() * 0.2 + (d === 3 ? (at % 2) * 2 - 1 : 0),
      );
      return { ...row('the same'), vectors: { text: vector } };
    });
    const labels = rows.map((_, at) => (at % 2 === 0 ? 'no' : 'yes'));
    const { program, heldOut } = induceRules(rows, labels, { ...columns, numbers: [], vectors: ['text'] }, 1);
    expect(program.kind).toBe('nearness');
    expect(heldOut!.accuracy).toBeGreaterThan(0.95);
  });

  it('sees nothing in noise: the figure on rows unseen says so', () => {
    const random = mulberry32(9);
    const word = () => 'abcdefghij'[Math.floor(random.uniform() * 10)]!.repeat(3);
    const rows = Array.from({ length: 120 }, () => row(`${word()} ${word()} ${word()}`));
    const { heldOut } = induceRules(
      rows,
      rows.map(() => String(random.uniform() < 0.5)),
      { texts: ['text'], numbers: [] },
      1,
    );
    expect(heldOut!.interval.lower).toBeLessThan(0.5);
  });

  it.each([
    ['one row', ['yes']],
    ['a few rows', ['yes', 'no', 'yes']],
    ['one label only', Array<string>(40).fill('yes')],
  ])('of %s is one answer, without a figure', (_, labels) => {
    const induced = induceRules(
      labels.map((_label, at) => row(`row ${at}`)),
      labels,
      columns,
      1,
    );
    expect(induced.heldOut).toBeUndefined();
    expect(runRules(induced.program)(row('other')).label).toBe('yes');
  });

  it('is plain data, the same from the same, and answers with a known label and a share, for any text', () => {
    const labelled = fc.array(
      fc.tuple(fc.string({ unit: 'grapheme' }), fc.constantFrom('x', 'y', 'z'), fc.option(fc.integer())),
      {
        minLength: 1,
        maxLength: 30,
      },
    );
    fc.assert(
      fc.property(labelled, fc.string(), (all, other) => {
        const rows = all.map(([text, , price]) => row(text, price));
        const labels = all.map(([, label]) => label);
        const { program } = induceRules(rows, labels, columns, 4);
        expect(induceRules(rows, labels, columns, 4).program).toEqual(program);
        const again = runRules(JSON.parse(JSON.stringify(program)) as RuleProgram);
        const answer = again(row(other));
        expect(answer).toEqual(runRules(program)(row(other)));
        expect(labels).toContain(answer.label);
        expect(answer.confidence > 0 && answer.confidence <= 1).toBe(true);
      }),
      { numRuns: 30 },
    );
  });

  it('refuses labels that do not belong to the rows', () => {
    expect(() => induceRules([], [], columns, 1)).toThrow(RangeError);
    expect(() => induceRules([row('')], [], columns, 1)).toThrow(RangeError);
  });
});

describe('the patterns', () => {
  it.each([
    ['year', 'in 2019', 'in 20190'],
    ['date', '3/4/21', '3/4'],
    ['money', '$ 5', 'five'],
    ['percentage', '5 %', '% 5'],
    ['mail', 'a.b@c.de', 'a@b'],
    ['capitals', 'STOP it', 'Stop IT'],
    ['negation', "don't", 'nothing'],
    ['web', 'see www.x.de', 'see w.x.de'],
  ] as const)('%s', (name, yes, no) => {
    expect([patterns[name].test(yes), patterns[name].test(no)]).toEqual([true, false]);
  });
});
