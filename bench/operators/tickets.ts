/** Made-up support tickets with the true answer to every question that the operators ask, and clips with their words. */
import { createHash } from 'node:crypto';
import { clipsOf } from '../../workers/runtime/media/audio/clips.js';
import { drawsOf, pick } from '../pool/random.js';
import type { TruthData, TruthTask, TruthTuple } from '../pool/truth/types.js';

export const topics = ['billing', 'shipping', 'returns', 'defects'] as const;
export const tags = ['refund', 'delay', 'damage', 'thanks'] as const;
export const sentiments = ['positive', 'negative', 'neutral', 'mixed'] as const;

export interface Ticket {
  readonly id: number;
  readonly text: string;
  readonly urgent: boolean;
  readonly topic: string;
  readonly tags: readonly string[];
  readonly product: string;
  readonly day: string;
  /** From 1 to 5. */
  readonly severity: number;
  readonly sentiment: string;
  readonly summary: string;
  readonly translation: string;
}

const things = ['kettle', 'lamp', 'drill', 'chair', 'radio'] as const;
const filler = 'The customer has written before, wants an answer by letter, and gives the number of the order below. ';

/** Ticket `n`; the text itself gives nothing away, the pool answers from the fields. */
export function ticket(n: number): Ticket {
  const random = drawsOf('ticket', n);
  const topic = pick(random, topics) ?? 'billing';
  const product = `${pick(random, things) ?? 'kettle'} ${100 + (n % 800)}`;
  const day = new Date(Date.UTC(2024, 0, 1 + (n % 360))).toISOString().slice(0, 10);
  const chosen = tags.filter(() => random.uniform() < 0.4);
  return {
    id: n,
    text: `Ticket ${n} came in at counter ${1 + (n % 9)}. ${filler}Order K-${n * 7 + 3}.`,
    urgent: random.uniform() < 0.3,
    topic,
    tags: chosen.length === 0 ? [pick(random, tags) ?? 'delay'] : chosen,
    product,
    day,
    severity: 1 + Math.floor(random.uniform() * 5),
    sentiment: pick(random, sentiments) ?? 'neutral',
    summary: `Counter ${1 + (n % 9)} got ticket ${n} of ${topic}.`,
    translation: `Vorgang ${n} kam an Schalter ${1 + (n % 9)} an, es geht um ${product}.`,
  };
}

const answered = [
  'urgent',
  'topic',
  'tags',
  'product',
  'day',
  'severity',
  'sentiment',
  'summary',
  'translation',
] as const;

const field = (name: string, ...intent: readonly string[]): TruthTask => ({
  key: name,
  collections: ['tickets'],
  intent: [intent],
  truth: { rule: 'field', field: name },
});

const tasks: readonly TruthTask[] = [
  {
    key: 'urgent',
    collections: ['tickets'],
    intent: [['urgent']],
    truth: { rule: 'test', field: 'urgent', in: [true] },
  },
  field('topic', 'topic'),
  field('tags', 'tags'),
  field('product', 'which product'),
  {
    key: 'severity',
    collections: ['tickets'],
    intent: [['severe']],
    truth: { rule: 'field', field: 'severity', range: [1, 5] },
  },
  field('sentiment', 'sentiment'),
  field('summary', 'summari'),
  field('translation', 'translat'),
];

/** What the pool knows of the first tickets. Evidence is drawn by id and field. */
export function ticketTruth(count: number): TruthData {
  const tuples = Array.from({ length: count }, (_, n): TruthTuple => {
    const known = ticket(n);
    return {
      id: String(n),
      collection: 'tickets',
      values: [known.text],
      fields: Object.fromEntries(answered.map((name) => [name, known[name]])),
      evidence: Object.fromEntries(
        [...answered, 'about'].map((name) => [name, drawsOf('evidence', n, name).uniform()]),
      ),
      about: known.topic,
    };
  });
  return { tuples, tasks };
}

export function ticketCsv(count: number): string {
  return `id,text\n${Array.from({ length: count }, (_, n) => `${n},"${ticket(n).text}"\n`).join('')}`;
}

export interface Clip {
  readonly id: number;
  readonly wav: Buffer;
  readonly words: string;
}

const spoken =
  'we waited at the gate for the night train and nobody told us that it had left without the last two coaches'.split(
    ' ',
  );

/** A tone of its own for each clip, 16 kHz mono; what is said in it is told to the pool, not heard. */
export function clip(n: number): Clip {
  const rate = 16_000;
  const samples = Buffer.alloc(rate * 2);
  for (let at = 0; at < rate; at++) {
    samples.writeInt16LE(Math.round(8000 * Math.sin((2 * Math.PI * (200 + 7 * n) * at) / rate)), at * 2);
  }
  const header = Buffer.from(`RIFF....WAVEfmt ${'.'.repeat(20)}data....`, 'latin1');
  header.writeUInt32LE(36 + samples.length, 4);
  header.writeUInt32LE(16, 16);
  header.writeUInt16LE(1, 20);
  header.writeUInt16LE(1, 22);
  header.writeUInt32LE(rate, 24);
  header.writeUInt32LE(rate * 2, 28);
  header.writeUInt16LE(2, 32);
  header.writeUInt16LE(16, 34);
  header.writeUInt32LE(samples.length, 40);
  const random = drawsOf('clip', n);
  const words = Array.from({ length: 40 }, () => pick(random, spoken) ?? 'gate').join(' ');
  return { id: n, wav: Buffer.concat([header, samples]), words: `clip ${n} says ${words}` };
}

/** What the pool knows of clips: their words, by the clip as it is sent. */
export async function clipTruth(count: number): Promise<TruthData> {
  const tuples: TruthTuple[] = [];
  for (let n = 0; n < count; n++) {
    const { wav, words } = clip(n);
    const media: string[] = [];
    for await (const piece of clipsOf({ bytes: wav }, 600)) {
      media.push(createHash('sha256').update(piece.wav).digest('hex'));
    }
    tuples.push({ id: String(n), collection: 'clips', values: [], media, fields: {}, transcript: words });
  }
  return { tuples, tasks: [] };
}
