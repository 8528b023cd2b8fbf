import { blockOf, type PlannedCall, type RunPlan } from '../../plans/protocol/run-plan.js';
import type { Estimate, Range } from '../../plans/protocol/run.js';
import {
  type CallFacts,
  defaultSelectivity,
  estimateCalls as priceCalls,
  estimateTokens,
  likelyReplyTokens,
  promptTokens,
} from '../../plans/cost/index.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import { rowsInVain } from '../../plans/cost/limited.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PromptRequest } from '../../plans/protocol/model.js';
import { semanticOperators } from '../../plans/operators/index.js';
import { findAnswers } from '../inference/ask-prompts.js';
import { findPrepared } from '../inference/prepare-media.js';
import { promptFacts } from '../inference/prompt-facts.js';
import { renderInput } from '../inference/prompts.js';
import type { InputRow, Model } from '../ports.js';
import type { CascadeSchedule, RoutedSchedule } from '../../plans/protocol/strategy.js';
import { trainingSize } from '../../plans/physical/cascade/fitted/training.js';
import { vectorCall } from '../../plans/physical/rounds/round-calls.js';
import { roundSchedule } from '../../plans/physical/rounds/steps.js';
import type { RoutedPlan } from '../../plans/physical/routed/plan.js';
import { expectedShares } from '../../plans/physical/routed/shares.js';
import { routedId, stepBy, stepsOf } from '../../plans/physical/routed/steps.js';
import { massesOfLogits } from '../../plans/physical/router/buckets.js';
import { surestPairs, typicalRareShare } from '../../plans/physical/cascade/rare.js';
import { readsSides, stepId } from '../../plans/physical/cascade/steps.js';
import { sideNames } from '../../plans/physical/pairs/keys.js';
import { testsOf } from '../../plans/physical/cascade/targets.js';
import { typicalOracleShare } from '../../plans/physical/cascade/typical.js';
import { fewestPositives } from '../../plans/physical/cascade/thresholds.js';
import { type AskedCall, askedCall, loadJson } from '../run-plans.js';
import { enterBlock, type EnteredBlock, growsByWaves } from './enter-block.js';
import { afterNested, nestedTable } from './next-block.js';
import { roundQuestions, vectorInputs } from './estimate-rounds.js';
import type { PlanQueryPorts } from './plan-query.js';
import { pairPrompts } from './prepare-call.js';
import { stateOfAll } from './query-state.js';

/** Distinct inputs that are rendered and looked up; beyond it the shares are those of this sample. */
const sampled = 10_000;
const partitionRows = 1_000;

/**
 * What each call will ask, counted where it can be: distinct inputs of calls that read plain columns, and how many of them
 * the ledger has answered. A call that reads an earlier answer is taken to have one input a row. The rows of a nested query
 * are those that come out when every filter passes and all other answers are NULL.
 */
export async function estimateCalls(ports: PlanQueryPorts, first: EnteredBlock): Promise<Estimate> {
  const facts: CallFacts[] = [];
  let entered = first;
  for (;;) {
    const { plan, rows } = entered;
    facts.push(...(await blockFacts(ports, plan, rows)));
    if (plan.nested === undefined)
      return priceCalls(facts, facts.length > plan.calls.length ? undefined : plan.query.stopAfter);
    const block = blockOf(plan);
    const state = { ...stateOfAll(ports.store, plan, rows), unanswered: block.calls };
    const pretended = await ports.relations.runNested(state, block.final.sql, nestedTable(plan));
    const next = await enterBlock(ports, afterNested(plan, pretended));
    // where answers decide what comes out, NULL lets nothing through: then as many rows as went in
    entered = pretended.table.rows > 0 ? next : { ...next, rows: Math.max(next.rows, rows) };
  }
}

async function blockFacts(ports: PlanQueryPorts, plan: RunPlan, rows: number): Promise<readonly CallFacts[]> {
  const facts: CallFacts[] = [];
  for (const planned of plan.calls) {
    if (planned.code !== undefined) continue;
    const model = await ports.models.get(planned.schedule.model);
    const inputs = await countInputs(ports, plan, planned, rows);
    const { strategy, rounds, routed } = planned.schedule;
    if (rounds !== undefined) {
      if (rounds.nearness !== undefined) facts.push(await vectorFacts(ports, plan, planned, { ...inputs, rows }));
      facts.push(await roundFacts(ports, plan, planned, model, { ...inputs, rows }));
      continue;
    }
    if (routed !== undefined) {
      facts.push(...(await routedFacts(ports, plan, { ...planned, routed }, { ...inputs, rows })));
      continue;
    }
    const oracle = await factsOf(ports, plan, planned, model, { ...inputs, rows });
    if (strategy === undefined) {
      facts.push(oracle);
      continue;
    }
    if (readsSides(strategy)) {
      const sides = sidesOf(planned.call, strategy, inputs.sample);
      const step = askedCall(plan, stepId(planned.call.id, 'sides'));
      const model = await ports.models.get(step.schedule.model);
      const first = await factsOf(ports, plan, step, model, {
        distinct: sides.values.length,
        sample: sides.values,
        rows,
      });
      facts.push({ ...first, operator: step.call.parameters.kind, asked: all, selectivity: all });
      facts.push({ ...oracle, asked: rareShare(strategy, oracle, sides.larger) });
      continue;
    }
    if (strategy.fitted !== 'lexicon') {
      const step = askedCall(plan, stepId(planned.call.id, 'proxy'));
      const first = await factsOf(ports, plan, step, await ports.models.get(step.schedule.model), { ...inputs, rows });
      facts.push({ ...first, asked: all, selectivity: all });
    }
    facts.push({ ...oracle, asked: oracleShare(strategy, oracle) });
  }
  return facts;
}

/** A line for each model of a routed plan: what its bucket holds, at most what the buckets before it may leave, too. */
async function routedFacts(
  ports: PlanQueryPorts,
  plan: RunPlan,
  { call, routed }: PlannedCall & { readonly routed: RoutedSchedule },
  inputs: Omit<Inputs, 'groupsKnown'> & { readonly rows: number },
): Promise<readonly CallFacts[]> {
  const { router } = await loadJson<RoutedPlan>(ports.store, routed.plan);
  const shares = expectedShares(routed, massesOfLogits(router.logits));
  const facts: CallFacts[] = [];
  for (const [at, step] of stepsOf(routed).entries()) {
    const asked = shares[at];
    if (asked === undefined || asked.high === 0 || stepBy(routed, step).program === true) continue;
    const own = askedCall(plan, routedId(call.id, step));
    const model = await ports.models.get(own.schedule.model);
    facts.push({ ...(await factsOf(ports, plan, own, model, inputs)), asked, selectivity: all });
  }
  // a filter narrows the rows once, whoever decides them
  return facts.map((one, at) => (at === facts.length - 1 ? { ...one, selectivity: defaultSelectivity } : one));
}

export interface Inputs {
  /** An aggregate: its items. */
  readonly distinct: number;
  /** Whether the keys of an aggregate are columns. */
  readonly groupsKnown: boolean;
  readonly sample: readonly InputRow[];
}

export async function countInputs(
  ports: PlanQueryPorts,
  plan: RunPlan,
  { call, schedule }: PlannedCall,
  rows: number,
): Promise<Inputs> {
  const readsAnswer = (sql: string): boolean => plan.calls.some((other) => sql.includes(`__a_${other.call.id}`));
  const { groups = [], order = [], where = '' } = call.fold ?? {};
  const groupsKnown = ![...groups, ...order, where].some(readsAnswer);
  if (call.inputs.some(({ sql }) => readsAnswer(sql))) return { distinct: rows, sample: [], groupsKnown };
  const plain = groupsKnown ? call : { ...call, fold: { groups: [], order: [], distinct: false } };
  const state = stateOfAll(ports.store, plan, rows);
  const sample: InputRow[] = [];
  const keep = (_partition: number, bytes: Uint8Array): Promise<void> => {
    if (sample.length < sampled) sample.push(...ports.codec.decodeInputs(bytes));
    return Promise.resolve();
  };
  const pairs = pairPrompts(plan, schedule);
  const { inputs } = await ports.relations.writeInputs(state, plain, partitionRows, keep, pairs);
  // rows that only answers can tell are as good as distinct
  if (inputs === 0 && rows > 0 && plan.done !== undefined) return { distinct: rows, sample, groupsKnown };
  // of values under a LIMIT only those of the first rows were counted
  const counted = call.role === 'value' ? Math.min(rows, blockOf(plan).stopAfter ?? rows) : rows;
  return { distinct: counted === 0 ? 0 : Math.round((inputs * rows) / counted), sample, groupsKnown };
}

/** The inputs of a dedup are embedded first. */
async function vectorFacts(
  ports: PlanQueryPorts,
  plan: RunPlan,
  { call, schedule }: PlannedCall,
  { distinct, sample, rows }: Inputs & { readonly rows: number },
): Promise<CallFacts> {
  const step = { call: vectorCall(call), schedule: { ...roundSchedule(schedule, 0), operator: 'embed' } };
  const model = await ports.models.get(step.schedule.model);
  const facts = await factsOf(ports, plan, step, model, { distinct, sample: vectorInputs(call, sample), rows });
  return { ...facts, intent: call.template, asked: all };
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

/** What is known of a call over inputs of which some are at hand. */
export async function factsOf(
  ports: PlanQueryPorts,
  plan: RunPlan,
  { call, schedule, confidence = false }: PlannedCall & Partial<AskedCall>,
  model: Model,
  { distinct, sample, rows }: Omit<Inputs, 'groupsKnown'> & { readonly rows: number },
): Promise<CallFacts> {
  // of inputs that are not known yet, at least the instructions are
  const blank: InputRow = { in: 0, n: 1, values: call.inputs.map(() => '') };
  const basis = sample.length === 0 && call.inputs.every(({ modality }) => modality === 'text') ? [blank] : sample;
  const rowsKnown = await findPrepared(basis, call, model, ports.media);
  const prompts = rowsKnown.map((row) => renderInput(call, row, model, undefined, { confidence }));
  const asked = { call, model, schedule: schedule.prompts, salt: undefined };
  const found = plan.cache ? await findAnswers(ports.ledger, prompts, asked) : [];
  const cachedShare = sample.length === 0 ? 0 : found.filter((answer) => answer !== undefined).length / sample.length;
  const isEmbed = call.parameters.kind === 'embed';
  const lacking = prompts.filter((_, at) => found[at] === undefined);
  const own = await promptFacts(ports.ledger, asked, schedule.partitionRows, lacking);
  const tokens =
    own?.tokens ??
    prompts.reduce((sum, { request }) => sum + (isEmbed ? valueTokens(request) : promptTokens(request)), 0) /
      Math.max(1, prompts.length);
  const most = Math.ceil(semanticOperators[call.parameters.kind].maxOutputTokens(call) * (own?.answers ?? 1));
  const likely = Math.ceil((likelyReplyTokens(call, meanTokens(sample)) ?? most / 2) * (own?.answers ?? 1));
  const outputTokens: Range = { low: Math.min(1, most), expected: Math.min(likely, most), high: most };
  return {
    id: call.id,
    operator: schedule.operator,
    intent: call.template,
    model: schedule.model,
    role: call.role,
    rows,
    distinct,
    cached: Math.round(cachedShare * distinct),
    promptTokens: tokens,
    outputTokens,
    inFlight: growsByWaves(plan)
      ? rowsInVain(blockOf(plan).stopAfter ?? 0)
      : (schedule.window - 1) * schedule.partitionRows,
    ...(isEmbed ? { perCall: schedule.partitionRows } : {}),
    ...(own === undefined ? {} : { perCall: own.perCall }),
    ...(model.price === undefined ? {} : { price: model.price }),
    ...(isFree(model) ? { ms: noTime } : {}),
  };
}

const all: Range = { low: 1, expected: 1, high: 1 };

/**
 * Share of the inputs that a cascade's oracle is asked about. Before the proxy has answered, only the bounds are known: the
 * positives that the sample must hold, and everything; what is expected is what a proxy as usual would leave to it.
 */
function oracleShare({ targets, fitted }: CascadeSchedule, { distinct }: CallFacts): Range {
  const training = fitted === undefined ? 0 : trainingSize(distinct);
  const low = Math.min(1, (training + fewestPositives(testsOf(targets))) / Math.max(1, distinct));
  const typical = training / Math.max(1, distinct) + typicalOracleShare(distinct, defaultSelectivity.expected, targets);
  const expected = Math.min(1, typical);
  return { low: Math.min(low, expected), expected, high: 1 };
}

/** As far as pairs are sampled; values as `readSides` has them. */
function sidesOf(
  { pair = [[], []] }: SemanticCall,
  { fitted }: CascadeSchedule,
  sample: readonly InputRow[],
): { readonly values: readonly InputRow[]; readonly larger: number } {
  const [left, right] = pair.map(
    (side) => new Set(sample.map(({ values }) => side.map((index) => values[index] ?? '').join('\n'))),
  );
  const keyed = [left, right].flatMap((texts, side) =>
    Array.from(texts ?? [], (text) => [sideNames[side] ?? '', text]),
  );
  const plain = Array.from(new Set([...(left ?? []), ...(right ?? [])]), (text) => [text]);
  const values = (fitted === 'keys' ? keyed : plain).map((cells, at) => ({ in: at, n: 1, values: cells }));
  return { values, larger: Math.max(left?.size ?? 0, right?.size ?? 0) };
}

/** Keys may match no pair; as a rule each value of the larger side shares them with one of the other. */
function rareShare({ targets, fitted }: CascadeSchedule, { distinct }: CallFacts, larger: number): Range {
  const first = fitted === 'keys' ? Math.min(larger, distinct) : surestPairs(distinct, larger);
  const share = first / Math.max(1, distinct);
  const low = fitted === 'keys' ? 0 : share;
  const expected = targets.recall === undefined ? share : typicalRareShare(distinct, larger, first, targets);
  return { low, expected: Math.max(share, expected), high: 1 };
}

/** Mean tokens of the values of a row. */
function meanTokens(sample: readonly InputRow[]): number {
  const sum = sample.reduce(
    (total, { values }) => total + values.reduce((tokens, value) => tokens + estimateTokens(value), 0),
    0,
  );
  return sample.length === 0 ? 0 : sum / sample.length;
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
