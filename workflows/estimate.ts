import { proxyActivities } from '@temporalio/workflow';
import type { Activities } from '../activities/index.js';
import type { Estimate } from '../plans/protocol/run.js';
import { asRunFailure } from './failures.js';
import type { EstimateInput } from './messages.js';
import { relationalPolicy } from './policies.js';

const { planQuery } = proxyActivities<Activities>(relationalPolicy);

/** Plans a query and prices it; makes no model call. */
export async function estimate(input: EstimateInput): Promise<Estimate> {
  try {
    const { runId, request, compare } = input;
    const given = compare === undefined ? {} : { compare };
    const planned = await planQuery({ runId, request, budget: {}, estimate: true, dry: true, ...given });
    return planned.estimate ?? { calls: [], total: { calls: zero, tokens: zero, usd: zero } };
  } catch (error) {
    throw asRunFailure(error);
  }
}

const zero = { low: 0, expected: 0, high: 0 } as const;
