/** How each call of a run is answered: the strategy that the user asked for, where the call has it. */
import { strategyProblem } from '../../plans/physical/strategies.js';
import { checkTargets, type Targets } from '../../plans/physical/cascade/targets.js';
import { chosenRounds, type RoundsRequest } from '../../plans/physical/rounds/schedule.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import type { StrategyKind, StrategyRequest, TopK } from '../../plans/protocol/strategy.js';
import type { QueryPlan } from '../../plans/sql/plan.js';
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
  size: { readonly rows: number } & Pick<QueryPlan, 'stopAfter' | 'top'>,
): Promise<PlannedStrategy> {
  if (request === undefined || request.kind === 'direct') return { calls, notes: [] };
  if (request.kind === 'cascade') checkTargets(request.targets);
  const problems = calls.map(({ call }) => strategyProblem(call, request.kind, size));
  if (problems.every((problem) => problem !== undefined)) throw unavailable(calls, problems, request.kind);
  const notes: string[] = [];
  const planned: PlannedCall[] = [];
  for (const [at, one] of calls.entries()) {
    const problem = problems[at];
    if (problem !== undefined) notes.push(`${titleOf(one)} runs ${wayOf(one)}: ${problem}`);
    else if (request.kind !== 'cascade') {
      planned.push(await withRounds(ports, one, request, size.top));
      if (isOrder(request)) notes.push(`${titleOf(one)} is a place by ${request.kind} comparison, no rating`);
      continue;
    } else if (isOne(request.targets))
      notes.push(`${titleOf(one)} asks ${one.schedule.model} about all inputs: only that reaches a target of 1`);
    else {
      planned.push(await withCascade(ports, one, request, size));
      continue;
    }
    planned.push(one);
  }
  return { calls: planned, notes };
}

const isOrder = ({ kind }: RoundsRequest): boolean => kind !== 'tree' && kind !== 'fold';
const isOne = ({ recall, precision = 1 }: Targets): boolean => recall === 1 && precision === 1;
const wayOf = ({ schedule }: PlannedCall): string => (schedule.rounds === undefined ? 'directly' : 'as usual');

async function withRounds(
  ports: StrategyPorts,
  { call, schedule }: PlannedCall,
  request: RoundsRequest,
  top: TopK | undefined,
): Promise<PlannedCall> {
  const { contextTokens } = await ports.models.get(schedule.model);
  return { call, schedule: { ...schedule, rounds: chosenRounds(call, request, { top, contextTokens }) } };
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

/** What has a strategy, for people. */
const users: Readonly<Record<StrategyKind, string>> = {
  direct: 'any function',
  cascade: 'AI_FILTER',
  tree: 'AI_AGG',
  fold: 'AI_AGG',
  pairwise: 'ORDER BY AI_SCORE(…) LIMIT k',
  heap: 'ORDER BY AI_SCORE(…) LIMIT k',
  listwise: 'ORDER BY AI_SCORE(…) LIMIT k',
};

function unavailable(
  calls: readonly PlannedCall[],
  problems: readonly (string | undefined)[],
  kind: StrategyRequest['kind'],
): FermataError {
  const [first] = calls;
  const message = problems[0] ?? `the query has no semantic call that could run by the strategy ${kind}`;
  return new FermataError('BadArgument', message, {
    ...(first === undefined ? {} : { where: { operator: first.call.parameters.kind, position: first.call.position } }),
    hint: `leave the strategy out, or use it with ${users[kind]}`,
  });
}
