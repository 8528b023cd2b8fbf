import { duckdbType } from '../operators/duckdb-type.js';
import { FermataError } from '../protocol/errors.js';
import { answerPrefix } from './answers.js';
import type { CallDraft } from './collect.js';
import { fault } from './fault.js';
import { locating } from './locate.js';
import type { PlanColumn, QueryBlock } from './plan.js';
import type { DescribeSql } from './ports.js';
import { shown } from './recognise.js';
import type { SqlNode } from './tree.js';

/**
 * Binds every statement of the plan as the executor will run it, so that no plain mistake is left for after the calls.
 * Returns the columns of its result, names that occur twice told apart as DuckDB does in a subquery.
 */
export async function bindPlan(
  plan: QueryBlock,
  query: SqlNode,
  describe: DescribeSql,
  drafts: readonly CallDraft[],
): Promise<readonly PlanColumn[]> {
  const source = `__source AS (SELECT 0::BIGINT AS __row, * FROM (${plan.source.sql}))`;
  const answers = plan.calls.map(({ id, output }) => `, NULL::${duckdbType(output)} AS ${answerPrefix}${id}`).join('');
  const frame = `WITH ${source}, __rows AS (SELECT *${answers} FROM __source)`;
  const rowsAlias = `__rows AS "${plan.source.alias.replaceAll('"', '""')}"`;
  await locating(query, () => describe(`${frame} ${plan.rows.sql}`));
  for (const [i, call] of plan.calls.entries()) {
    const { groups = [], order = [], where } = call.fold ?? {};
    const terms = order.length === 0 ? [] : [`row_number() OVER (ORDER BY ${order.join(', ')})`];
    if (terms.length > 0) {
      await inputBinding(drafts[i], () => describe(`${frame} SELECT ${terms.join()} FROM ${rowsAlias}`));
    }
    const folded = [...groups, ...(where === undefined ? [] : [where])];
    for (const sql of [...call.inputs.map((input) => input.sql), ...folded]) {
      // WHERE takes only what a single row can decide: an aggregate or a window is refused here
      await inputBinding(drafts[i], () => describe(`${frame} SELECT 1 FROM ${rowsAlias} WHERE (${sql}) IS NULL`));
    }
  }
  await locating(query, () => perGroup(drafts, () => describe(`${frame} ${plan.final.sql}`)));
  return describe(`${frame} SELECT * FROM (${plan.final.sql})`);
}

async function inputBinding<T>(draft: CallDraft | undefined, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    if (!FermataError.is(error) || draft === undefined) throw error;
    const folded = /aggregate|window|UNNEST/i.test(error.message);
    const message = folded
      ? `${shown(draft.spelled)} over an aggregate, a window or UNNEST is not supported`
      : error.message;
    const hint = folded
      ? 'Compute it in a subquery in FROM: FROM (SELECT …, string_agg(…) AS x FROM t GROUP BY …) AS g.'
      : error.hint;
    throw fault(folded ? 'UnsupportedSql' : error.code, message, draft.position, hint);
  }
}

/** A call that reads group keys would be asked for every row; DuckDB's message about it names a column of ours. */
async function perGroup<T>(drafts: readonly CallDraft[], step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    const named = FermataError.is(error) ? new RegExp(`${answerPrefix}([fca]\\d+)`).exec(error.message) : null;
    const draft = drafts.find(({ id }) => id === named?.[1]);
    if (draft === undefined || !FermataError.is(error)) throw error;
    if (!/GROUP BY/.test(error.message)) {
      throw fault(
        error.code,
        error.message.replaceAll(/__a_[fca]\d+/g, shown(draft.spelled)),
        draft.position,
        error.hint,
      );
    }
    const message = `${shown(draft.spelled)} stands beside an aggregate without being grouped`;
    const hint = 'Add it to GROUP BY, or group first and ask about the groups: FROM (SELECT … GROUP BY …) AS g.';
    throw fault('UnsupportedSql', message, draft.position, hint);
  }
}
