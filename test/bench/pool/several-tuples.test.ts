import { afterAll, beforeAll, expect, test } from 'vitest';
import { note, pairTruth, part } from '../../../bench/operators/pairs.js';
import { type Pool, startPool } from '../../../bench/pool/start.js';
import type { SemanticCall } from '../../../plans/operators/call.js';
import { jsonSchema } from '../../../plans/operators/json-schema.js';
import { promptForms } from '../../../plans/physical/batch/forms.js';
import type { BatchTuple } from '../../../plans/physical/batch/request.js';
import { call } from '../../support/relations.js';
import { ask, exactProfiles, row, things } from './support.js';

/** The pool reads every form in which the engine asks about several tuples. */

const size = { notes: 12, parts: 6, keys: 1, kinds: 6 };
let pool: Pool;
beforeAll(async () => {
  pool = await startPool({ truth: [pairTruth(size), things(12)], profiles: exactProfiles(1), latencyScale: 0 });
});
afterAll(() => pool.close());

const pairs: SemanticCall = {
  ...call('f0', ['n', 'p']),
  template: 'Is the note {0} about this part: {1}?',
  pair: [[0], [1]],
};
const idOf = (at: number): string =>
  `x${String.fromCharCode(98 + Math.floor(at / 20))}${String.fromCharCode(98 + (at % 20))}`;
const about = (n: number, p: number): boolean => note(n, size).kind === part(p, size).kind;
const tuplesOf = (of: readonly (readonly [number, number])[]): readonly BatchTuple[] =>
  of.map(([n, p], at) => ({ id: idOf(at), values: [note(n, size).text, part(p, size).text] }));

async function verdicts(kind: keyof typeof promptForms, asked: SemanticCall, tuples: readonly BatchTuple[]) {
  const { content, system, output } = promptForms[kind].request(asked, tuples);
  const text = content.map((piece) => (piece.type === 'text' ? piece.text : '')).join('');
  const reply = await ask(pool.url, text, { system, schema: jsonSchema(output) });
  const said = promptForms[kind].read(
    reply.text,
    asked,
    tuples.map(({ id }) => id),
  );
  return [...said.values()].map((decoded) => (decoded.ok ? decoded.value : decoded.problem));
}

const numbers = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at);

test('several rows', async () => {
  const old: SemanticCall = { ...call('f0', ['t']), template: 'Is it old? {0}' };
  const tuples = numbers(12).map((n) => ({ id: idOf(n), values: row(n).values }));
  expect(await verdicts('batched', old, tuples)).toEqual(numbers(12).map((n) => row(n).fields['old']));
});

test('several pairs, in any order', async () => {
  const asked = numbers(40).map((at) => [(at * 7) % 12, (at * 5) % 6] as const);
  const distinct = [...new Map(asked.map((pair) => [pair.join(), pair])).values()];
  expect(await verdicts('batched', pairs, tuplesOf(distinct))).toEqual(distinct.map(([n, p]) => about(n, p)));
});

test('the matches of one value, on either side', async () => {
  for (const n of numbers(12)) {
    const asked = numbers(6).map((p) => [n, p] as const);
    expect(await verdicts('classify', pairs, tuplesOf(asked))).toEqual(asked.map(([, p]) => about(n, p)));
  }
  for (const p of numbers(6)) {
    const asked = numbers(12).map((n) => [n, p] as const);
    expect(await verdicts('classify', pairs, tuplesOf(asked))).toEqual(asked.map(([n]) => about(n, p)));
  }
});

test('pairs of rows of one table: several, and the matches of one row on either side', async () => {
  const alike: SemanticCall = {
    ...call('f0', ['a', 'b']),
    template: 'Both have the same colour: {0}, {1}',
    pair: [[0], [1]],
  };
  const same = ([a, b]: readonly [number, number]): boolean => row(a).fields['colour'] === row(b).fields['colour'];
  const tuples = (of: readonly (readonly [number, number])[]): readonly BatchTuple[] =>
    of.map(([a, b], at) => ({ id: idOf(at), values: [row(a).values[0] ?? '', row(b).values[0] ?? ''] }));
  const asked = numbers(11).map((at) => [at, (at * 5 + 3) % 12] as const);
  expect(await verdicts('batched', alike, tuples(asked))).toEqual(asked.map(same));
  const left = numbers(8).map((at) => [11, at] as const);
  expect(await verdicts('classify', alike, tuples(left))).toEqual(left.map(same));
  const right = numbers(8).map((at) => [at, 10] as const);
  expect(await verdicts('classify', alike, tuples(right))).toEqual(right.map(same));
});
