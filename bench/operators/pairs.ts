/** Made-up notes and the parts that they may be about, with the truth of every pair. */
import { drawsOf } from '../pool/random.js';
import type { TruthData, TruthTuple } from '../pool/truth/types.js';

export interface JoinSize {
  readonly notes: number;
  readonly parts: number;
  /** Different values of the key that both sides have; 1: it excludes no pair. */
  readonly keys: number;
  /** A note matches one part in so many of those with its key, about. */
  readonly kinds: number;
}

export interface Side {
  readonly id: number;
  readonly key: number;
  readonly kind: number;
  readonly text: string;
}

/** The texts themselves give nothing away; the pool answers from the kinds. */
export function note(n: number, { keys, kinds }: JoinSize): Side {
  const kind = Math.floor(drawsOf('note', n).uniform() * kinds);
  const text = `Note ${n} was left at the counter; the writer has waited for a week and wants to know what to do with the part, order N-${n * 7 + 3}.`;
  return { id: n, key: n % keys, kind, text };
}

export function part(n: number, { keys, kinds }: JoinSize): Side {
  return {
    id: n,
    key: n % keys,
    kind: Math.floor(n / keys) % kinds,
    text: `Part ${n} of the spring list, shelf P-${n * 11 + 5}`,
  };
}

export const pairQuestion = 'Is the note {n.text} about this part: {p.text}?';

export function pairTruth(size: JoinSize): TruthData {
  const tuples = (collection: string, count: number, side: typeof note): TruthTuple[] =>
    Array.from({ length: count }, (_, n) => {
      const { text, kind } = side(n, size);
      const evidence = { kind: drawsOf('evidence', collection, n).uniform() };
      return { id: String(n), collection, values: [text], fields: { kind }, evidence };
    });
  return {
    tuples: [...tuples('notes', size.notes, note), ...tuples('parts', size.parts, part)],
    tasks: [
      {
        key: 'about',
        collections: ['notes', 'parts'],
        intent: [['about this part']],
        truth: { rule: 'pair', left: 'kind', right: 'kind', relation: 'equal' },
      },
    ],
  };
}

export function sideCsv(count: number, side: typeof note, size: JoinSize): string {
  const rows = Array.from({ length: count }, (_, n) => side(n, size));
  return `id,key,text\n${rows.map(({ id, key, text }) => `${id},${key},"${text}"\n`).join('')}`;
}

/** `note-part` of the pairs that match. */
export function truePairs(size: JoinSize): ReadonlySet<string> {
  const parts = Array.from({ length: size.parts }, (_, n) => part(n, size));
  return new Set(
    Array.from({ length: size.notes }, (_, n) => note(n, size)).flatMap((one) =>
      parts.filter(({ key, kind }) => key === one.key && kind === one.kind).map(({ id }) => `${one.id}-${id}`),
    ),
  );
}

/** The harmonic mean of precision and recall. */
export function f1(found: ReadonlySet<string>, wanted: ReadonlySet<string>): number {
  const both = [...found].filter((pair) => wanted.has(pair)).length;
  return found.size + wanted.size === 0 ? 1 : (2 * both) / (found.size + wanted.size);
}
