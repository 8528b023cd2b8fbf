/** Every operator with a query over the tickets, and how right its result is. */
import type { OperatorKind } from '../../plans/operators/call.js';
import { sentiments, type Ticket, tags, topics } from './tickets.js';

export type ResultRows = readonly Readonly<Record<string, unknown>>[];

/** Names of the models that a query asks. */
export interface ModelNames {
  readonly embed: string;
  readonly transcribe: string;
}

export interface OperatorCase {
  readonly name: string;
  readonly operator: OperatorKind;
  readonly sql: (models: ModelNames) => string;
  /** What `right` counts. */
  readonly measure: string;
  /** Answers that are right, out of how many. */
  readonly quality: (rows: ResultRows, tickets: readonly Ticket[]) => Quality;
  /** Fields that must be told right for one answer to be right; absent where answers are not judged one by one. */
  readonly fields?: readonly string[];
  /** Role of the model that answers; default `strong`. */
  readonly model?: 'strong' | 'embed' | 'transcribe';
}

export interface Quality {
  readonly right: number;
  readonly of: number;
}

/** Judges each ticket by the column `a` of its row; undefined: it has no row. */
function each(isRight: (answer: unknown, ticket: Ticket) => boolean): OperatorCase['quality'] {
  return (rows, tickets) => {
    const answers = new Map(rows.map((row) => [Number(row['id']), row['a']]));
    return { right: tickets.filter((ticket) => isRight(answers.get(ticket.id), ticket)).length, of: tickets.length };
  };
}

const same = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const sorted = (labels: unknown): readonly string[] => [...((labels ?? []) as readonly string[])].sort();
const list = (labels: readonly string[]): string => `[${labels.map((label) => `'${label}'`).join(', ')}]`;
const over = (value: string): string => `SELECT id, ${value} AS a FROM tickets`;

export const searched = { topic: topics[0], share: 0.1 } as const;
export const topK = 20;

export const cases: readonly OperatorCase[] = [
  {
    name: 'filter',
    operator: 'filter',
    sql: () => "SELECT id FROM tickets WHERE AI_FILTER('Is it urgent? {text}')",
    measure: 'accuracy',
    quality: (rows, tickets) => {
      const kept = new Set(rows.map((row) => Number(row['id'])));
      return { right: tickets.filter(({ id, urgent }) => kept.has(id) === urgent).length, of: tickets.length };
    },
    fields: ['urgent'],
  },
  {
    name: 'classify',
    operator: 'classify',
    sql: () => over(`AI_CLASSIFY(text, ${list(topics)}, {task_description: 'By topic.'})`),
    measure: 'accuracy',
    quality: each((answer, { topic }) => answer === topic),
    fields: ['topic'],
  },
  {
    name: 'classify, several labels',
    operator: 'classify',
    sql: () => over(`AI_CLASSIFY(text, ${list(tags)}, {task_description: 'Which tags?', multi: true})`),
    measure: 'label sets alike',
    quality: each((answer, ticket) => same(sorted(answer), sorted(ticket.tags))),
    fields: ['tags'],
  },
  {
    name: 'extract',
    operator: 'extract',
    sql: () => over("AI_EXTRACT(text, {product: 'string', day: 'string'})"),
    measure: 'structs alike',
    quality: each((answer, { product, day }) => same(answer, { product, day })),
    fields: ['product', 'day'],
  },
  {
    name: 'complete',
    operator: 'complete',
    sql: () => over("AI_COMPLETE('Which product is in {text}?')"),
    measure: 'accuracy',
    quality: each((answer, { product }) => answer === product),
    fields: ['product'],
  },
  {
    name: 'score',
    operator: 'score',
    sql: () => over("AI_SCORE('How severe, from 1 to 5? {text}')"),
    measure: 'scores alike',
    quality: each((answer, { severity }) => answer === severity),
    fields: ['severity'],
  },
  {
    name: 'score, top-k',
    operator: 'score',
    sql: () => `SELECT id FROM tickets ORDER BY AI_SCORE('How severe, from 1 to 5? {text}') DESC LIMIT ${topK}`,
    measure: 'of the k',
    quality: (rows, tickets) => {
      const best = [...tickets].sort((a, b) => b.severity - a.severity)[topK - 1]?.severity ?? 0;
      const found = new Set(rows.map((row) => Number(row['id'])));
      return { right: tickets.filter(({ id, severity }) => found.has(id) && severity >= best).length, of: topK };
    },
  },
  {
    name: 'sentiment',
    operator: 'sentiment',
    sql: () => over('AI_SENTIMENT(text)'),
    measure: 'accuracy',
    quality: each((answer, { sentiment }) => sentiments.some((known) => known === answer) && answer === sentiment),
    fields: ['sentiment'],
  },
  {
    name: 'summarize',
    operator: 'summarize',
    sql: () => over('AI_SUMMARIZE(text)'),
    measure: 'texts alike',
    quality: each((answer, { summary }) => answer === summary),
    fields: ['summary'],
  },
  {
    name: 'translate',
    operator: 'translate',
    sql: () => over("AI_TRANSLATE(text, 'en', 'de')"),
    measure: 'texts alike',
    quality: each((answer, { translation }) => answer === translation),
    fields: ['translation'],
  },
  {
    name: 'embed: nearest topic',
    operator: 'embed',
    sql: ({ embed }) => {
      const near = topics.map((topic) => `AI_SIMILARITY(text, '${topic}', {model: '${embed}'})`);
      const nearest = `list_position([${near.join(', ')}], greatest(${near.join(', ')}))`;
      return over(`${list(topics)}[${nearest}]`);
    },
    measure: 'accuracy',
    quality: each((answer, { topic }) => answer === topic),
    fields: ['about'],
    model: 'embed',
  },
  {
    name: 'embed: search',
    operator: 'embed',
    sql: ({ embed }) =>
      `SELECT id FROM AI_SEARCH('tickets', 'text', '${searched.topic}', ${topK}, {model: '${embed}'}) AS s`,
    measure: 'precision',
    quality: (rows, tickets) => {
      const found = new Set(rows.map((row) => Number(row['id'])));
      return { right: tickets.filter(({ id, topic }) => found.has(id) && topic === searched.topic).length, of: topK };
    },
    model: 'embed',
  },
];
