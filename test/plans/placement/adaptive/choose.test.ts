import { describe, expect, test } from 'vitest';
import type { Answers, Purpose, Truth } from '../../../../plans/placement/adaptive/answers.js';
import { type Choice, chooser, mostExactLeaves } from '../../../../plans/placement/adaptive/choose.js';
import { exactOrder } from '../../../../plans/placement/adaptive/exact-order.js';
import { type LeafFacts, nextTest } from '../../../../plans/placement/adaptive/ratio-rule.js';
import { testsFor } from '../../../../plans/placement/adaptive/tests.js';
import type { Condition } from '../../../../plans/placement/condition.js';
import { mulberry32 } from '../../../../plans/tuning/numeric/random.js';
import { completions, fullValue, randomCondition, randomFacts, truths } from './random-conditions.js';

const purposes: readonly Purpose[] = ['filter', 'value'];
const keysOf = (leaves: number): readonly string[] => Array.from({ length: leaves }, (_, at) => `c${at}`);

/** What the result says for a purpose: WHERE drops FALSE and NULL alike. */
const outcome = (value: Truth, purpose: Purpose): Truth => (purpose === 'filter' ? value === true : value);

/** The least expected cost over all adaptive strategies, by trying them all. */
function leastCost(
  condition: Condition,
  facts: ReadonlyMap<string, LeafFacts>,
  known: Answers,
  purpose: Purpose,
): number {
  const keys = [...facts.keys()];
  const outcomes = new Set(completions(keys, known).map((all) => outcome(fullValue(condition, all), purpose)));
  if (outcomes.size === 1) return 0;
  return Math.min(
    ...keys
      .filter((key) => !known.has(key))
      .map((key) => {
        const { cost, rates } = facts.get(key)!;
        return truths.reduce((sum, answer) => {
          const chance = rates[String(answer) as 'true' | 'false' | 'null'];
          const rest = chance === 0 ? 0 : leastCost(condition, facts, new Map([...known, [key, answer]]), purpose);
          return sum + chance * rest;
        }, cost);
      }),
  );
}

/** The expected cost of a strategy, over all answers. */
function costOf(choose: (answers: Answers) => Choice, facts: ReadonlyMap<string, LeafFacts>, known: Answers): number {
  const choice = choose(known);
  if (choice.kind === 'decided') return 0;
  const { cost, rates } = facts.get(choice.key)!;
  return truths.reduce((sum, answer) => {
    const chance = rates[String(answer) as 'true' | 'false' | 'null'];
    return chance === 0 ? sum : sum + chance * costOf(choose, facts, new Map([...known, [choice.key, answer]]));
  }, cost);
}

describe.each(purposes)('as %s', (purpose) => {
  test.each([4, mostExactLeaves + 2])(
    '%i leaves: every outcome is that of full evaluation, and no question is idle',
    (leaves) => {
      const random = mulberry32(leaves);
      for (let round = 0; round < 60; round++) {
        const condition = randomCondition(leaves, random);
        const facts = randomFacts(leaves, random);
        const choose = chooser(condition, (key) => facts.get(key)!, purpose);
        for (let draw = 0; draw < 20; draw++) {
          const all = new Map(keysOf(leaves).map((key) => [key, truths[Math.floor(random.uniform() * 3)]!] as const));
          const known = new Map<string, Truth>();
          let choice = choose(known);
          for (; choice.kind === 'ask'; choice = choose(known)) {
            const { key } = choice;
            expect(known.has(key)).toBe(false);
            if (leaves - known.size <= 4) {
              const matters = completions(keysOf(leaves), known).some((one) => {
                const results = truths.map((answer) =>
                  outcome(fullValue(condition, new Map([...one, [key, answer]])), purpose),
                );
                return new Set(results).size > 1;
              });
              expect(matters, `${key} in ${JSON.stringify(condition)} after ${JSON.stringify([...known])}`).toBe(true);
            }
            known.set(key, all.get(key)!);
          }
          expect(choice.value).toBe(outcome(fullValue(condition, all), purpose));
        }
      }
    },
  );

  test('up to 4 leaves the expected cost is the least of all strategies', () => {
    const random = mulberry32(9);
    for (let round = 0; round < 120; round++) {
      const leaves = 1 + Math.floor(random.uniform() * 4);
      const condition = randomCondition(leaves, random);
      const facts = randomFacts(leaves, random);
      const least = leastCost(condition, facts, new Map(), purpose);
      expect(
        costOf(
          chooser(condition, (key) => facts.get(key)!, purpose),
          facts,
          new Map(),
        ),
      ).toBeCloseTo(least, 6);
      const claimed = exactOrder(condition, keysOf(leaves), (key) => facts.get(key)!, purpose)(new Map()).cost;
      expect(claimed).toBeCloseTo(least, 6);
    }
  });
});

test('the ratio rule, used above that, stays within 1.25 times the optimum, and on average within 1 %', () => {
  const random = mulberry32(10);
  let sum = 0;
  const rounds = 250;
  for (let round = 0; round < rounds; round++) {
    const leaves = 2 + Math.floor(random.uniform() * 4);
    const condition = randomCondition(leaves, random);
    const facts = randomFacts(leaves, random);
    const tests = testsFor(condition, true);
    const byRatio = (answers: Answers): Choice => {
      const progress = nextTest(tests, answers, (key) => facts.get(key)!);
      if (progress.kind === 'open') return { kind: 'ask', key: progress.next, expectedCost: progress.cost };
      return { kind: 'decided', value: progress.kind === 'passed' };
    };
    const cost = costOf(byRatio, facts, new Map());
    const least = exactOrder(condition, keysOf(leaves), (key) => facts.get(key)!, 'filter')(new Map()).cost;
    expect(cost).toBeGreaterThanOrEqual(least - 1e-9);
    expect(cost).toBeLessThanOrEqual(least * 1.25);
    sum += cost / least;
  }
  expect(sum / rounds).toBeLessThan(1.01);
});

test('the cheap predicate that rejects most is asked first, and the other not where it rejects', () => {
  const parts = ['often', 'seldom'].map((id): Condition => ({ kind: 'call', call: { id, reads: ['t.a'] } }));
  const rates = { often: { true: 0.1, false: 0.9, null: 0 }, seldom: { true: 0.9, false: 0.1, null: 0 } };
  const facts = (key: string): LeafFacts => ({ cost: 1, rates: rates[key as 'often'] });
  const all = chooser({ kind: 'and', parts }, facts, 'filter');
  expect(all(new Map())).toMatchObject({ kind: 'ask', key: 'often' });
  expect(all(new Map([['often', false]]))).toEqual({ kind: 'decided', value: false });
  expect(all(new Map([['often', null]]))).toEqual({ kind: 'decided', value: false });
  const any = chooser({ kind: 'or', parts }, facts, 'filter');
  expect(any(new Map())).toMatchObject({ kind: 'ask', key: 'seldom' });
  expect(any(new Map([['seldom', true]]))).toEqual({ kind: 'decided', value: true });
});

test('a NULL in a select list is not yet FALSE', () => {
  const parts = ['a', 'b'].map((id): Condition => ({ kind: 'call', call: { id, reads: ['t.a'] } }));
  const facts = (): LeafFacts => ({ cost: 1, rates: { true: 0.5, false: 0.4, null: 0.1 } });
  const choose = chooser({ kind: 'and', parts }, facts, 'value');
  expect(choose(new Map([['a', null]]))).toMatchObject({ kind: 'ask', key: 'b' });
  expect(
    choose(
      new Map<string, Truth>([
        ['a', null],
        ['b', true],
      ]),
    ),
  ).toEqual({ kind: 'decided', value: null });
  expect(choose(new Map([['a', false]]))).toEqual({ kind: 'decided', value: false });
});

test('a call that occurs twice is asked once', () => {
  const call = (id: string): Condition => ({ kind: 'call', call: { id, reads: ['t.a'] } });
  const condition: Condition = {
    kind: 'or',
    parts: [
      { kind: 'and', parts: [call('a'), call('b')] },
      { kind: 'and', parts: [call('a'), call('c')] },
    ],
  };
  const facts = (): LeafFacts => ({ cost: 1, rates: { true: 0.5, false: 0.5, null: 0 } });
  const choose = chooser(condition, facts, 'filter');
  expect(choose(new Map())).toMatchObject({ kind: 'ask', key: 'a' });
  expect(choose(new Map([['a', false]]))).toEqual({ kind: 'decided', value: false });
});
