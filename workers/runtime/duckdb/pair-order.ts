import type { PairSides } from '../../../plans/operators/call.js';
import { tokensAroundValue } from '../../../plans/physical/batch/pack.js';
import { type SideFacts, sideToShare } from '../../../plans/physical/pairs/side.js';
import type { DuckDbSession } from './session.js';

/** Column of `__distinct` that is true where a prompt of its own may begin. */
export const starts = '__starts';

/** Characters of a token, about. */
const charactersAToken = 4;

/**
 * Numbers the pairs in `__distinct` anew, so that those that share a side stand together: the side that makes the prompts
 * about them shorter, with `size` pairs a prompt at most. Values and order of first occurrence decide, nothing else.
 */
export async function orderPairs(
  session: DuckDbSession,
  names: readonly string[],
  { sides, size }: { readonly sides: PairSides; readonly size: number },
): Promise<void> {
  const columns = sides.map((side) => side.map((index) => names[index] ?? ''));
  const [left = [], right = []] = columns;
  const facts = [await factsOf(session, left, right, size), await factsOf(session, right, left, size)] as const;
  const shared = (columns[sideToShare(facts)] ?? []).join(', ');
  await session.run(
    `CREATE OR REPLACE TABLE __distinct AS SELECT (row_number() OVER (ORDER BY first, __in) - 1)::INTEGER AS __in, __n, ` +
      `${names.join(', ')}, (row_number() OVER (PARTITION BY ${shared} ORDER BY __in) - 1) % ${size} = 0 AS ${starts} ` +
      `FROM (SELECT *, min(__in) OVER (PARTITION BY ${shared}) AS first FROM __distinct)`,
  );
}

async function factsOf(
  session: DuckDbSession,
  shared: readonly string[],
  others: readonly string[],
  size: number,
): Promise<SideFacts> {
  const tokens = (names: readonly string[]): string =>
    `(${names.map((name) => `length(${name}) / ${charactersAToken} + ${tokensAroundValue}`).join(' + ')})`;
  const result = await session.rows(
    `SELECT coalesce(sum(prompts), 0)::DOUBLE AS prompts, coalesce(sum(prompts * own), 0)::DOUBLE AS own, coalesce(sum(other), 0)::DOUBLE AS other ` +
      `FROM (SELECT ceil(count(*) / ${size}) AS prompts, ${tokens(shared)} AS own, sum(${tokens(others)}) AS other ` +
      `FROM __distinct GROUP BY ${shared.join(', ')})`,
  );
  const [row] = result;
  return {
    prompts: Number(row?.['prompts']),
    sharedTokens: Number(row?.['own']),
    candidateTokens: Number(row?.['other']),
  };
}
