/** How each call of a run is answered: the strategy that the user asked for, where the call has it. */
import { checkStrategy, strategyProblem } from '../../plans/physical/strategies.js';
import { batchSizes } from '../../plans/physical/batch/pack.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import type { StrategyRequest } from '../../plans/protocol/strategy.js';
import { titleOf } from '../cascade-records.js';
import { chooseModel, type ModelChoice } from './choose-model.js';
import { scheduleCall } from './schedule.js';

export interface StrategyPorts extends ModelChoice {
  queueOf(model: string): string;
}

export interface PlannedStrategy {
  readonly calls: readonly PlannedCall[];
  /** What was asked for and is not done, one sentence each. */
  readonly notes: readonly string[];
}

/**
 * Gives the strategy to the calls that have it. Throws before any money is spent: `UnknownModel` or `ModalityUnsupported` for
 * the proxy, `BadArgument` for a target outside (0, 1], a strategy that no call of the query has, or a proxy that is the
 * oracle itself.
 */
export async function planStrategy(
  ports: StrategyPorts,
  calls: readonly PlannedCall[],
  request: StrategyRequest | undefined,
  size: { readonly rows: number; readonly stopAfter?: number },
): Promise<PlannedStrategy> {
  if (request === undefined || request.kind === 'direct') return { calls, notes: [] };
  checkStrategy(request);
  const problems: (string | undefined)[] = [];
  for (const one of calls) problems.push(await problemOf(ports, one, request));
  if (problems.every((problem) => problem !== undefined)) throw unavailable(calls, problems, request.kind);
  const notes: string[] = [];
  const planned: PlannedCall[] = [];
  for (const [at, one] of calls.entries()) {
    const problem = problems[at];
    if (problem !== undefined) notes.push(`${titleOf(one)} runs directly: ${problem}`);
    else if (request.kind !== 'cascade') {
      planned.push(withPrompts(one, request));
      continue;
    } else if (request.targets.recall === 1 && (request.targets.precision ?? 1) === 1)
      notes.push(`${titleOf(one)} asks ${one.schedule.model} about all inputs: only that reaches a target of 1`);
    else {
      planned.push(await withCascade(ports, one, request, size));
      continue;
    }
    planned.push(one);
  }
  return { calls: planned, notes };
}

async function problemOf(
  { models }: StrategyPorts,
  { call, schedule }: PlannedCall,
  { kind }: StrategyRequest,
): Promise<string | undefined> {
  const problem = strategyProblem(call, kind);
  if (problem !== undefined || kind === 'cascade') return problem;
  const { language } = await models.get(schedule.model);
  return language === undefined ? `${schedule.model} reads no prompts` : undefined;
}

function withPrompts(
  { call, schedule }: PlannedCall,
  request: Extract<StrategyRequest, { readonly kind: 'batched' | 'chunked' }>,
): PlannedCall {
  if (request.kind === 'chunked') return { call, schedule: { ...schedule, prompts: request } };
  // Partitions hold whole batches, so that none ends with a small one but the last.
  const { size = batchSizes.usual } = request;
  const partitionRows = size * Math.ceil(schedule.partitionRows / size);
  return { call, schedule: { ...schedule, partitionRows, prompts: { kind: 'batched', size } } };
}

async function withCascade(
  ports: StrategyPorts,
  { call, schedule }: PlannedCall,
  { proxy, targets }: Extract<StrategyRequest, { readonly kind: 'cascade' }>,
  { rows, stopAfter }: { readonly rows: number; readonly stopAfter?: number },
): Promise<PlannedCall> {
  const model = await chooseModel(ports, { ...call, model: proxy }, undefined);
  if (model.name === schedule.model) {
    throw new FermataError('BadArgument', `the proxy ${proxy} is the model that it should stand in for`, {
      where: { operator: call.parameters.kind, position: call.position },
      hint: 'name a cheaper model as the proxy, or another model for the call',
    });
  }
  const { queue, window } = scheduleCall(call, model, ports.queueOf(model.name), rows, stopAfter);
  return {
    call,
    schedule: { ...schedule, strategy: { kind: 'cascade', proxy: { model: model.name, queue, window }, targets } },
  };
}

function unavailable(
  calls: readonly PlannedCall[],
  problems: readonly (string | undefined)[],
  kind: StrategyRequest['kind'],
): FermataError {
  const [first] = calls;
  const message = problems[0] ?? `the query has no semantic call that could run by the strategy ${kind}`;
  return new FermataError('BadArgument', message, {
    ...(first === undefined ? {} : { where: { operator: first.call.parameters.kind, position: first.call.position } }),
    hint: 'leave the strategy out, or use it where it can be had: docs/sql.md',
  });
}
