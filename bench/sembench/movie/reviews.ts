/** Rows of SemBench Movie, and more of their kind where a larger table is asked for. */
import { mulberry32 } from '../../../plans/tuning/numeric/random.js';
import { type CsvRow, text } from '../../pool/truth/sets/data.js';

/**
 * The first `count` reviews; beyond those that there are, each further one is a review followed by another with the same flag, under
 * an id of its own: made up, of texts of which no two are alike.
 */
export function reviewsOf(source: readonly CsvRow[], count: number): readonly CsvRow[] {
  if (count <= source.length) return source.slice(0, count);
  // the source has some reviews twice
  const real = [...new Map(source.map((row) => [text(row, 'reviewId'), row])).values()];
  const byFlag = new Map<string, readonly string[]>();
  for (const flag of new Set(real.map(flagOf))) {
    byFlag.set(flag, shuffled(real.flatMap((row) => (flagOf(row) === flag ? [text(row, 'reviewText')] : []))));
  }
  const made = Array.from({ length: count - source.length }, (_, at): CsvRow => {
    const place = at % real.length;
    const round = Math.floor(at / real.length) + 1;
    const row = real[place] ?? {};
    const others = byFlag.get(flagOf(row)) ?? [];
    const words = `${text(row, 'reviewText')} ${others[(place + round) % others.length] ?? ''}`;
    return { ...row, reviewId: `${text(row, 'reviewId')}-${round}`, reviewText: words };
  });
  return [...source, ...made];
}

const flagOf = (row: CsvRow): string => text(row, 'scoreSentiment');

/** Fisher–Yates, always alike. */
function shuffled<T>(items: readonly T[]): readonly T[] {
  const random = mulberry32(1);
  const order = [...items];
  for (let at = order.length - 1; at > 0; at--) {
    const other = Math.floor(random.uniform() * (at + 1));
    [order[at], order[other]] = [order[other] as T, order[at] as T];
  }
  return order;
}
