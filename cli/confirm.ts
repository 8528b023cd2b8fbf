/** Asking before money is spent. The run itself stops before its first call when it would cost more than the threshold. */
import type { Fermata, RunOptions } from '../client/api.js';
import { FermataError } from '../plans/protocol/errors.js';
import type { Estimate } from '../plans/protocol/run.js';
import type { Context } from './context.js';
import { estimateLines } from './render/estimate.js';
import { usd } from './render/numbers.js';

function expectedUsd(estimate: Estimate): number {
  return estimate.total.usd?.expected ?? 0;
}

function tooDear(estimate: Estimate, threshold: number): FermataError {
  const message = `the query is expected to cost ${usd(expectedUsd(estimate))}, more than ${usd(threshold)}`;
  return new FermataError('NeedsConfirmation', message, {
    hint: 'add --yes to go on, or --max-cost to cap it (limits.confirmAboveUsd sets the threshold)',
  });
}

/** Shows the estimate and asks. Throws `NeedsConfirmation` when nobody can be asked or the answer is not yes. */
export async function askToSpend(context: Context, estimate: Estimate, threshold: number): Promise<void> {
  const { stderr, interactive } = context.io;
  await context.say(estimateLines(estimate, stderr.columns).join('\n'));
  if (!interactive) throw tooDear(estimate, threshold);
  const answer = await context.io.ask(`Spend about ${usd(expectedUsd(estimate))}? [y/N] `);
  if (!/^\s*y(es)?\s*$/i.test(answer)) throw tooDear(estimate, threshold);
}

/** For a run that nobody will wait for: it could not ask later, so it is asked about now. */
export async function confirmBeforehand(
  context: Context,
  fermata: Fermata,
  sql: string,
  options: RunOptions,
  threshold: number,
): Promise<void> {
  const estimate = await fermata.estimate(sql, options);
  if (expectedUsd(estimate) > threshold) await askToSpend(context, estimate, threshold);
}
