/** How each call of a run is answered: the strategy that the user asked for, where the call has it. */
import { checkStrategy, strategyProblem } from '../../plans/physical/strategies.js';
import { otherIntent } from '../../plans/physical/routed/misfit.js';
import { keyCall } from '../../plans/physical/pairs/keys.js';
import { usualSizes } from '../../plans/physical/batch/pack.js';
import { chosenRounds, type RoundsRequest } from '../../plans/physical/rounds/schedule.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall } from '../../plans/protocol/run-plan.js';
import type { CascadeSchedule, StrategyKind, StrategyRequest, TopK } from '../../plans/protocol/strategy.js';
import { titleOf } from '../cascade-records.js';
import { embedCall, valueCall } from '../run-plans.js';
import { chooseModel, type ModelChoice } from './choose-model.js';
import { type RoutedPlanPorts, withPlan } from './plan-routed.js';
import { otherModel, otherModelOf } from './other-model.js';

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
 * oracle itself; `BadPlan` for a routed plan that does not fit.
 */
export async function planStrategy(
  ports: RoutedPlanPorts,
  calls: readonly PlannedCall[],
  request: StrategyRequest | undefined,
  tops: ReadonlyMap<string, TopK>,
): Promise<PlannedStrategy> {
  if (request === undefined || request.kind === 'direct') return { calls, notes: [] };
  checkStrategy(request);
  const problems: (string | undefined)[] = [];
  for (const one of calls) problems.push(await problemOf(ports, one, request, tops.get(one.call.id)));
  if (problems.every((problem) => problem !== undefined)) throw unavailable(calls, problems, request.kind);
  const notes: string[] = [];
  const planned: PlannedCall[] = [];
  for (const [at, one] of calls.entries()) {
    const problem = problems[at];
    if (problem !== undefined) notes.push(`${titleOf(one)} runs ${wayOf(one)}: ${problem}`);
    else if (isPrompts(request)) {
      planned.push(withPrompts(one, request));
      continue;
    } else if (request.kind === 'routed') {
      planned.push(await withPlan(ports, one, request.plan));
      continue;
    } else if (asksAll(request))
      notes.push(`${titleOf(one)} asks ${one.schedule.model} about all inputs: only that reaches a target of 1`);
    else if (request.kind === 'prefilter') {
      planned.push(await withPrefilter(ports, one, request));
      continue;
    } else if (request.kind === 'map') {
      planned.push(await withKeys(ports, one, request));
      continue;
    } else if (request.kind !== 'cascade') {
      planned.push(await withRounds(ports, one, request, tops.get(one.call.id)));
      if (isOrder(request)) notes.push(`${titleOf(one)} is a place by ${request.kind} comparison, no rating`);
      continue;
    } else {
      planned.push(await withCascade(ports, one, request));
      continue;
    }
    planned.push(one);
  }
  return { calls: planned, notes };
}

async function problemOf(
  { models }: StrategyPorts,
  { call, schedule }: PlannedCall,
  request: StrategyRequest,
  top: TopK | undefined,
): Promise<string | undefined> {
  const { kind } = request;
  const problem = strategyProblem(call, kind, top);
  if (request.kind === 'routed') return problem ?? otherIntent(request.plan, call);
  if (problem !== undefined || kind === 'cascade') return problem;
  const { language } = await models.get(schedule.model);
  return language === undefined ? `${schedule.model} reads no prompts` : undefined;
}

/** Whether the targets leave nothing to a proxy. */
function asksAll(request: StrategyRequest): boolean {
  if (request.kind === 'prefilter' || request.kind === 'map') return request.recall === 1;
  return request.kind === 'cascade' && request.targets.recall === 1 && (request.targets.precision ?? 1) === 1;
}

type PromptsRequest = Extract<StrategyRequest, { readonly kind: 'batched' | 'classify' | 'chunked' }>;

function isPrompts(request: StrategyRequest): request is PromptsRequest {
  return ['batched', 'classify', 'chunked'].includes(request.kind);
}

function withPrompts({ call, schedule }: PlannedCall, request: PromptsRequest): PlannedCall {
  if (request.kind === 'chunked') return { call, schedule: { ...schedule, prompts: request } };
  const { kind, size = usualSizes[request.kind] } = request;
  return { call, schedule: { ...schedule, prompts: { kind, size } } };
}

const isOrder = ({ kind }: RoundsRequest): boolean => kind !== 'tree' && kind !== 'fold';
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

/** What a prefilter must reach when nothing is said, and how sure that of keys. */
const usualRecall = 0.9;
const usualConfidence = 0.95;

async function withPrefilter(
  ports: StrategyPorts,
  { call, schedule }: PlannedCall,
  request: Extract<StrategyRequest, { readonly kind: 'prefilter' }>,
): Promise<PlannedCall> {
  const { embedder, recall = usualRecall, confidence = usualConfidence } = request;
  const proxy = await otherModel(ports, { ...valueCall(call), ...modelNamed(embedder) });
  const targets = { recall, confidence };
  return { call, schedule: { ...schedule, strategy: { kind: 'prefilter', fitted: 'nearness', proxy, targets } } };
}

async function withKeys(
  ports: StrategyPorts,
  { call, schedule }: PlannedCall,
  { mapper, recall, confidence = usualConfidence }: Extract<StrategyRequest, { readonly kind: 'map' }>,
): Promise<PlannedCall> {
  const proxy = await otherModel(ports, { ...keyCall(call), model: mapper ?? schedule.model });
  const targets = { ...(recall === undefined ? {} : { recall }), confidence };
  return { call, schedule: { ...schedule, strategy: { kind: 'map', fitted: 'keys', proxy, targets } } };
}

type CascadeRequest = Extract<StrategyRequest, { readonly kind: 'cascade' }>;

async function withCascade(
  ports: StrategyPorts,
  planned: PlannedCall,
  { proxy, targets }: CascadeRequest,
): Promise<PlannedCall> {
  const { call, schedule } = planned;
  return {
    call,
    schedule: { ...schedule, strategy: { kind: 'cascade', ...(await proxyOf(ports, planned, proxy)), targets } },
  };
}

const embeddingProxy = /^embedding(?::(.+))?$/s;

/** The proxy that a name stands for: word weights, a head over an embedding model's vectors, or a model. */
async function proxyOf(
  ports: StrategyPorts,
  { call, schedule }: PlannedCall,
  name: string,
): Promise<Omit<CascadeSchedule, 'kind' | 'targets'>> {
  const embedding = embeddingProxy.exec(name);
  const fitted = embedding !== null ? 'embedding' : name === 'lexicon' ? 'lexicon' : undefined;
  const where = { operator: call.parameters.kind, position: call.position };
  if (fitted !== undefined && call.inputs.some(({ modality }) => modality !== 'text')) {
    throw new FermataError('BadArgument', `the proxy ${name} reads texts alone`, {
      where,
      hint: 'name a model as the proxy',
    });
  }
  if (fitted === 'lexicon') return { fitted, proxy: { model: 'lexicon', queue: schedule.queue, window: 1 } };
  const asked = embedding === null ? { ...call, model: name } : { ...embedCall(call), ...modelNamed(embedding[1]) };
  const model = await chooseModel(ports, asked, undefined);
  if (model.name === schedule.model) {
    throw new FermataError('BadArgument', `the proxy ${name} is the model that it should stand in for`, {
      where,
      hint: 'name a cheaper model as the proxy, or another model for the call',
    });
  }
  return { ...(fitted === undefined ? {} : { fitted }), proxy: otherModelOf(ports, asked, model) };
}

function modelNamed(name: string | undefined): { readonly model?: string } {
  return name === undefined ? {} : { model: name };
}

/** What has a strategy, for people. */
const users: Readonly<Record<StrategyKind, string>> = {
  direct: 'any function',
  cascade: 'AI_FILTER',
  prefilter: 'AI_FILTER over the texts of two relations of a join',
  map: 'AI_FILTER over the texts of two relations of a join',
  batched: 'short texts',
  classify: 'AI_FILTER over the texts of two relations of a join',
  routed: 'the call that the plan was made for',
  chunked: 'AI_EXTRACT, AI_COMPLETE, AI_SUMMARIZE or AI_TRANSLATE of texts',
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
