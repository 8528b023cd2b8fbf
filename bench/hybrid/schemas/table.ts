/** Made-up tables with the true answer to every question that the queries ask of them. */
import { drawsOf, pick } from '../../pool/random.js';
import type { TruthData, TruthTask, TruthTuple } from '../../pool/truth/types.js';

type Value = string | number;

export interface HybridTable {
  readonly name: string;
  readonly rows: readonly Readonly<Record<string, Value>>[];
  readonly asked?: Asked;
}

/** What is asked of one column. A question is known by its word. */
export interface Asked {
  readonly column: string;
  /** Yes or no: the share of rows of which it is true. */
  readonly shares: Readonly<Record<string, number>>;
  /** One label of several, by the word of the question. */
  readonly labels?: Readonly<Record<string, readonly string[]>>;
  /** A number in [0, 1], by the word of the question. */
  readonly scores?: readonly string[];
  /** Of how many a row has one topic; rows of two tables match where theirs are the same. */
  readonly topics?: number;
}

/** Pairs of rows, one of each table, that have the same topic. */
export interface HybridPair {
  readonly left: string;
  readonly right: string;
  /** In the question. */
  readonly word: string;
}

export interface HybridSchema {
  readonly name: string;
  readonly tables: readonly HybridTable[];
  readonly pairs: readonly HybridPair[];
}

export const range = (count: number): readonly number[] => [...Array(count).keys()];

/** What the pool knows of the tables. */
export function truthOf({ tables, pairs }: HybridSchema): readonly TruthData[] {
  const tasks = pairs.map(
    ({ left, right, word }): TruthTask => ({
      ...{ key: `${left}.${word}.${right}`, collections: [left, right], intent: [[word]] },
      truth: { rule: 'pair', left: 'topic', right: 'topic', relation: 'equal' },
    }),
  );
  return [...tables.map(tableTruth), { tuples: [], tasks }];
}

function tableTruth({ name, rows, asked }: HybridTable): TruthData {
  if (asked === undefined) return { tuples: [], tasks: [] };
  const questions = questionsOf(asked);
  const tuples = rows.map((row, n): TruthTuple => {
    const random = (word: string) => drawsOf(name, word, n);
    return {
      ...{ id: `${name} ${n}`, collection: name, values: [String(row[asked.column])] },
      fields: Object.fromEntries(questions.map(({ word, answer }) => [word, answer(random(word))])),
      evidence: Object.fromEntries(questions.map(({ word }) => [word, drawsOf('evidence', name, word, n).uniform()])),
    };
  });
  const tasks = questions.flatMap(({ word, truth }): readonly TruthTask[] =>
    truth === undefined ? [] : [{ key: `${name}.${word}`, collections: [name], intent: [[word]], truth }],
  );
  return { tuples, tasks };
}

interface Question {
  readonly word: string;
  readonly answer: (random: ReturnType<typeof drawsOf>) => Value | boolean;
  /** Absent: only pairs are asked about it. */
  readonly truth?: TruthTask['truth'];
}

function questionsOf({ shares, labels = {}, scores = [], topics }: Asked): readonly Question[] {
  return [
    ...Object.entries(shares).map(
      ([word, share]): Question => ({
        ...{ word, answer: (random) => random.uniform() < share },
        truth: { rule: 'test', field: word, in: [true] },
      }),
    ),
    ...Object.entries(labels).map(
      ([word, values]): Question => ({
        ...{ word, answer: (random) => pick(random, values) ?? '' },
        truth: { rule: 'field', field: word },
      }),
    ),
    ...scores.map(
      (word): Question => ({
        ...{ word, answer: (random) => Math.round(random.uniform() * 100) / 100 },
        truth: { rule: 'field', field: word, range: [0, 1] },
      }),
    ),
    ...(topics === undefined
      ? []
      : ([{ word: 'topic', answer: (random) => Math.floor(random.uniform() * topics) }] satisfies Question[])),
  ];
}

export function csvOf({ rows }: HybridTable): string {
  const columns = Object.keys(rows[0] ?? {});
  const cell = (value: Value | undefined): string => (typeof value === 'string' ? `"${value}"` : String(value));
  return `${[columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))].join('\n')}\n`;
}
