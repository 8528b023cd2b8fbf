/** Made-up tables of two shapes with the true answer to every question: books and reviews (PLOP §1), and orders as in TPC-H. */
import { drawsOf } from '../pool/random.js';
import type { TruthData, TruthTask, TruthTuple } from '../pool/truth/types.js';

type Value = string | number;

export interface HybridTable {
  readonly name: string;
  readonly rows: readonly Readonly<Record<string, Value>>[];
  /** Column that questions read, and the share of its rows of which each is true. */
  readonly asked?: { readonly column: string; readonly shares: Readonly<Record<string, number>> };
}

const range = (count: number): readonly number[] => [...Array(count).keys()];

/** A tenth of everything at 0.1: 100 books, 500 reviews of which 300 have 3 stars or more; 80 books and 250 reviews match. */
export function booksAndReviews(scale: number): readonly HybridTable[] {
  const [books, reviews] = [1000 * scale, 5000 * scale];
  const [good, matched] = [0.6 * reviews, 0.5 * reviews];
  return [
    {
      name: 'books',
      rows: range(books).map((id) => ({
        id,
        year: 1950 + (id % 60),
        title: `The book with shelf mark B ${id} of hall ${id % 7}.`,
      })),
      asked: { column: 'title', shares: { novel: 0.4 } },
    },
    {
      name: 'reviews',
      rows: range(reviews).map((id) => ({
        id,
        book: id < matched ? id % (0.8 * books) : books + id,
        stars: id < good ? 3 + (id % 3) : 1 + (id % 2),
        txt: `Review R ${id} was left at desk ${id % 9} by a reader.`,
      })),
      asked: { column: 'txt', shares: { kind: 0.5, spoiling: 0.1 } },
    },
  ];
}

/** 60 customers at 1: ten times fewer orders of some than of others, four lines an order. */
export function orders(scale: number): readonly HybridTable[] {
  const [customers, placed, parts] = [60 * scale, 300 * scale, 100 * scale];
  return [
    {
      name: 'customers',
      rows: range(customers).map((id) => ({
        id,
        nation: id % 5,
        note: `Account note C ${id}, written by clerk ${id % 11}.`,
      })),
      asked: { column: 'note', shares: { angry: 0.2 } },
    },
    {
      name: 'orders',
      rows: range(placed).map((id) => ({
        id,
        customer: Math.floor(customers * (id / placed) ** 2),
        month: 1 + (id % 12),
        comment: `Order comment O ${id} from counter ${id % 13}.`,
      })),
      asked: { column: 'comment', shares: { urgent: 0.3 } },
    },
    {
      name: 'lines',
      rows: range(4 * placed).map((id) => ({
        order: id >> 2,
        part: (id * 7) % (parts * 0.7),
        quantity: 1 + (id % 50),
      })),
    },
    {
      name: 'parts',
      rows: range(parts).map((id) => ({ id, size: id % 10, about: `Part sheet P ${id}, page ${id % 17}.` })),
      asked: { column: 'about', shares: { fragile: 0.15, heavy: 0.6 } },
    },
  ];
}

/** What the pool knows of the tables. */
export function truthOf({ name, rows, asked }: HybridTable): TruthData {
  if (asked === undefined) return { tuples: [], tasks: [] };
  const kinds = Object.entries(asked.shares);
  const tuples = rows.map(
    (row, n): TruthTuple => ({
      id: `${name} ${n}`,
      collection: name,
      values: [String(row[asked.column])],
      fields: Object.fromEntries(kinds.map(([kind, share]) => [kind, drawsOf(name, kind, n).uniform() < share])),
      evidence: Object.fromEntries(kinds.map(([kind]) => [kind, drawsOf('evidence', name, kind, n).uniform()])),
    }),
  );
  const tasks = kinds.map(
    ([kind]): TruthTask => ({
      key: `${name}.${kind}`,
      collections: [name],
      intent: [[kind]],
      truth: { rule: 'test', field: kind, in: [true] },
    }),
  );
  return { tuples, tasks };
}

export function csvOf({ rows }: HybridTable): string {
  const columns = Object.keys(rows[0] ?? {});
  const cell = (value: Value | undefined): string => (typeof value === 'string' ? `"${value}"` : String(value));
  return `${[columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))].join('\n')}\n`;
}
