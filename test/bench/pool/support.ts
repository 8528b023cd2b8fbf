/** A small truth of made-up rows, and a client of the pool for tests. */
import type { JsonValue } from '../../../plans/protocol/json.js';
import { defaultProfiles, type ModelProfile, type Profiles } from '../../../bench/pool/profile.schema.js';
import type { Schema } from '../../../bench/pool/serve/request.js';
import type { TruthData, TruthTask, TruthTuple } from '../../../bench/pool/truth/types.js';

export const sides = ['red', 'green', 'blue'] as const;

/** Row `n`: colour, even or not, a size, tags, a buyer; rows with an even number are as plain as they get. */
export function row(n: number): TruthTuple {
  const tags = sides.filter((_, at) => (n + at) % 2 === 0);
  return {
    id: `r${n}`,
    collection: 'things',
    values: [`Thing number ${n}: it was bought on a market in the year ${1900 + (n % 120)} by a person called P${n}.`],
    fields: {
      colour: sides[n % 3] ?? 'red',
      old: n % 2 === 0,
      size: (n % 10) + 1,
      tags,
      buyer: `P${n}`,
      date: '2024-02-03',
    },
    evidence: { colour: n % 2, old: n % 2, size: n % 2 },
    about: sides[n % 3] ?? 'red',
  };
}

export const textOf = (n: number): string => row(n).values[0] ?? '';

export const tasks: readonly TruthTask[] = [
  {
    key: 'old',
    collections: ['things'],
    intent: [['old', 'antique']],
    truth: { rule: 'test', field: 'old', in: [true] },
  },
  {
    key: 'colour',
    collections: ['things'],
    intent: [['colour', 'hue']],
    truth: { rule: 'field', field: 'colour', labels: { red: ['scarlet'] } },
  },
  {
    key: 'size',
    collections: ['things'],
    intent: [['size', 'big']],
    truth: { rule: 'field', field: 'size', range: [1, 10] },
  },
  { key: 'tags', collections: ['things'], intent: [['tags']], truth: { rule: 'field', field: 'tags' } },
  { key: 'buyer', collections: ['things'], intent: [['buyer', 'bought it']], truth: { rule: 'field', field: 'buyer' } },
  {
    key: 'same',
    collections: ['things'],
    intent: [['same'], ['colour']],
    truth: { rule: 'pair', left: 'colour', right: 'colour', relation: 'equal' },
  },
  { key: 'larger', collections: ['things'], intent: [['larger', 'rank']], truth: { rule: 'rank', field: 'size' } },
];

export const things = (count: number): TruthData => ({
  tuples: Array.from({ length: count }, (_, n) => row(n)),
  tasks,
});

/** Profiles whose chat models are always right (or always wrong) and sure of it. */
export function exactProfiles(accuracy: 0 | 1 = 1): Profiles {
  return changed({ accuracy: { hi: accuracy, lo: accuracy, mid: 0.5, width: 1 } });
}

/** The fixed profiles with other values. */
export function changed(change: Partial<ModelProfile>): Profiles {
  return Object.fromEntries(
    Object.entries(defaultProfiles()).map(([name, profile]) => [name, { ...profile, ...change }]),
  );
}

export interface Asked {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
  /** What the model said. */
  readonly text: string;
}

/** One chat request over plain fetch; the schema is that of the whole reply. */
export async function ask(
  url: string,
  prompt: string | readonly unknown[],
  options: {
    readonly model?: string;
    readonly schema?: unknown;
    readonly system?: string;
    readonly more?: Record<string, unknown>;
  } = {},
): Promise<Asked> {
  const { model = 'sim-strong', schema, system = 'You judge data.', more = {} } = options;
  const response = await fetch(`${url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      messages: [
        { role: 'system', content: system },
        { role: 'user', content: prompt },
      ],
      ...(schema === undefined
        ? {}
        : { response_format: { type: 'json_schema', json_schema: { name: 'answer', schema } } }),
      ...more,
    }),
  });
  const body = (await response.json()) as Record<string, unknown>;
  const choices = body['choices'] as { message: { content: string } }[] | undefined;
  return { status: response.status, headers: response.headers, body, text: choices?.[0]?.message.content ?? '' };
}

export const object = (properties: Readonly<Record<string, Schema>>): Schema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});

/** The `answer` of a JSON reply. */
export const answerOf = ({ text }: Asked): JsonValue => (JSON.parse(text) as { answer: JsonValue }).answer;
