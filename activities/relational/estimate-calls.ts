import type { Wave } from '../../plans/protocol/activities.js';
import type { PlannedCall, RunPlan } from '../../plans/protocol/run-plan.js';
import type { Estimate, Range } from '../../plans/protocol/run.js';
import { type CallFacts, estimateCalls as priceCalls, estimateTokens, promptTokens } from '../../plans/cost/index.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PromptRequest } from '../../plans/protocol/model.js';
import { semanticOperators } from '../../plans/operators/index.js';
import { findPrepared } from '../inference/prepare-media.js';
import { renderInput } from '../inference/prompts.js';
import type { InputRow, Model } from '../ports.js';
import { stepId } from '../../plans/physical/cascade/steps.js';
import { type Targets, testsOf } from '../../plans/physical/cascade/targets.js';
import { fewestPositives } from '../../plans/physical/cascade/thresholds.js';
import { type AskedCall, askedCall } from '../run-plans.js';
import { roundQuestions } from './estimate-rounds.js';
import type { PlanQueryPorts } from './plan-query.js';
import { queryState } from './query-state.js';

/** Distinct inputs that are rendered and looked up; beyond it the shares are those of this sample. */
const sampled = 10_000;
const partitionRows = 1_000;

/**
 * What each call will ask, counted where it can be: distinct inputs of calls that read plain columns, and how many of them
 * the ledger has answered. A call that reads an earlier answer is taken to have one input a row.
 */
export async function estimateCalls(ports: PlanQueryPorts, plan: RunPlan, rows: number): Promise<Estimate> {
  const facts: CallFacts[] = [];
  for (const planned of plan.calls) {
    const model = await ports.models.get(planned.schedule.model);
    const inputs = await countInputs(ports, plan, planned, rows);
    const { strategy, rounds } = planned.schedule;
    if (rounds !== undefined) {
      facts.push(await roundFacts(ports, plan, planned, model, { ...inputs, rows }));
      continue;
    }
    const oracle = await factsOf(ports, plan, planned, model, { ...inputs, rows });
    if (strategy === undefined) {
      facts.push(oracle);
      continue;
    }
    const step = askedCall(plan, stepId(planned.call.id, 'proxy'));
    const first = await factsOf(ports, plan, step, await ports.models.get(step.schedule.model), { ...inputs, rows });
    facts.push({ ...first, asked: all, selectivity: all }, { ...oracle, asked: oracleShare(strategy.targets, oracle) });
  }
  return priceCalls(facts, plan.query.stopAfter);
}

interface Inputs {
  /** An aggregate: its items. */
  readonly distinct: number;
  /** Whether the keys of an aggregate are columns. */
  readonly groupsKnown: boolean;
  readonly sample: readonly InputRow[];
}

async function countInputs(ports: PlanQueryPorts, plan: RunPlan, { call }: PlannedCall, rows: number): Promise<Inputs> {
  const readsAnswer = (sql: string): boolean => plan.calls.some((other) => sql.includes(`__a_${other.call.id}`));
  const { groups = [], order = [], where = '' } = call.fold ?? {};
  const groupsKnown = ![...groups, ...order, where].some(readsAnswer);
  if (call.inputs.some(({ sql }) => readsAnswer(sql))) return { distinct: rows, sample: [], groupsKnown };
  const plain = groupsKnown ? call : { ...call, fold: { groups: [], order: [], distinct: false } };
  const all: Wave = { index: 0, from: 0, to: rows };
  const none = { v: 1, startedAt: 0, calls: [] } as const;
  const state = { ...queryState(ports.store, plan, none, [all], call.id), answered: [] };
  const sample: InputRow[] = [];
  const { inputs } = await ports.relations.writeInputs(state, plain, partitionRows, (_partition, bytes) => {
    if (sample.length < sampled) sample.push(...ports.codec.decodeInputs(bytes));
    return Promise.resolve();
  });
  return { distinct: inputs, sample, groupsKnown };
}

/** Questions stand in the place of inputs. */
async function roundFacts(
  ports: PlanQueryPorts,
  plan: RunPlan,
  planned: PlannedCall,
  model: Model,
  { distinct, sample, groupsKnown, rows }: Inputs & { readonly rows: number },
): Promise<CallFacts> {
  const { rounds } = planned.schedule;
  if (rounds === undefined) throw new FermataError('Internal', `call ${planned.call.id} has no rounds`);
  const asks = await roundQuestions(planned, rounds, { rows: sample, inputs: distinct, groupsKnown });
  const { low, expected, high } = asks.questions;
  const counted = Math.max(1, Math.round(expected));
  const found = await factsOf(ports, plan, { call: asks.call, schedule: planned.schedule }, model, {
    distinct: expected === 0 ? 0 : counted,
    sample: asks.sample,
    rows,
  });
  return {
    ...found,
    ...{ id: planned.call.id, intent: planned.call.template, cached: asks.exact ? found.cached : 0 },
    // which answers the ledger has is not known where the questions are not
    asked: { low: asks.exact || !plan.cache ? low / counted : 0, expected: 1, high: high / counted },
  };
}

async function factsOf(
  ports: PlanQueryPorts,
  plan: RunPlan,
  { call, schedule, proxy = false }: PlannedCall & Partial<AskedCall>,
  model: Model,
  { distinct, sample, rows }: Omit<Inputs, 'groupsKnown'> & { readonly rows: number },
): Promise<CallFacts> {
  const rowsKnown = await findPrepared(sample, call, model, ports.media);
  const prompts = rowsKnown.map((row) => renderInput(call, row, model, undefined, { confidence: proxy }));
  const found = plan.cache ? await ports.ledger.lookup(prompts.map(({ key }) => key)) : [];
  const cachedShare = sample.length === 0 ? 0 : found.filter((answer) => answer !== undefined).length / sample.length;
  const isEmbed = call.parameters.kind === 'embed';
  const tokens = prompts.reduce(
    (sum, { request }) => sum + (isEmbed ? valueTokens(request) : promptTokens(request)),
    0,
  );
  const most = semanticOperators[call.parameters.kind].maxOutputTokens(call);
  const outputTokens: Range = { low: Math.min(1, most), expected: Math.ceil(most / 2), high: most };
  return {
    id: call.id,
    operator: schedule.operator,
    intent: call.template,
    model: schedule.model,
    role: call.role,
    rows,
    distinct,
    cached: Math.round(cachedShare * distinct),
    promptTokens: prompts.length === 0 ? 0 : tokens / prompts.length,
    outputTokens,
    ...(isEmbed ? { perCall: schedule.partitionRows } : {}),
    ...(model.price === undefined ? {} : { price: model.price }),
    ...(isFree(model) ? { ms: noTime } : {}),
  };
}

const all: Range = { low: 1, expected: 1, high: 1 };

/**
 * Share of the inputs that a cascade's oracle is asked about. Before the proxy has answered, only the bounds are known: the
 * positives that the sample must hold, and everything; half is taken for want of anything better.
 */
function oracleShare(targets: Targets, { distinct }: CallFacts): Range {
  const low = Math.min(1, fewestPositives(testsOf(targets)) / Math.max(1, distinct));
  return { low, expected: Math.max(low, 0.5), high: 1 };
}

/** An embedding model reads the value alone. */
function valueTokens({ content }: PromptRequest): number {
  return content.reduce((sum, part) => sum + (part.type === 'text' ? estimateTokens(part.text) : 0), 0);
}

/** Compute that costs nothing an hour costs nothing, however long a call takes. */
function isFree({ price }: Model): boolean {
  return price?.unit === 'hour' && price.usdPerHour === 0;
}

const noTime: Range = { low: 0, expected: 0, high: 0 };
