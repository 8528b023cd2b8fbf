import { buildTable, type ModelAnswers } from '../../plans/optimize/build-table.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { JsonValue } from '../../plans/protocol/json.js';
import type { RunPlan } from '../../plans/protocol/run-plan.js';
import {
  type CompiledSearch,
  type CompileSearchInput,
  leastSample,
  type LostCandidate,
  type SearchRequest,
} from '../../plans/protocol/search.js';
import { planSignature } from '../../plans/physical/routed/signature.js';
import { beating } from '../heartbeat.js';
import { renderInput } from '../inference/prompts.js';
import type { Answer, InputRow } from '../ports.js';
import type { PlanQueryPorts } from '../relational/plan-query.js';
import { loadJson, loadPlan, plannedCall } from '../run-plans.js';
import { asksOf, conditionsOf } from './asks.js';
import { firstFailure, inputsOf } from './sample-files.js';

/** Of the inputs that a candidate was asked about it must have answered this share to be one. */
const leastAnswered = 0.5;

/**
 * Reads from the ledger what everyone answered and makes the table that trials are computed from. Throws `RunFailed` where the
 * teacher left most inputs without a label, or nothing is left to choose from.
 */
export function createCompileSearch(ports: PlanQueryPorts) {
  return (input: CompileSearchInput): Promise<CompiledSearch> =>
    beating(ports.scope(), async () => {
      const { search } = await loadJson<SearchRequest>(ports.store, input.request);
      const plan = await loadPlan(ports.store, input.plan);
      const [first] = plan.calls;
      if (first === undefined) throw new FermataError('Internal', 'the plan of a search has no call');
      const sample: InputRow[] = [];
      const label = labelId(plan);
      for await (const rows of inputsOf(ports, input.runId, label, input.partitions)) sample.push(...rows);
      const { rows, labels } = await labelled(ports, input, plan, sample);
      const [direct, ...others] = await modelsOf(ports, input, plan, rows);
      if (direct === undefined) throw new FermataError('Internal', 'the default model was not asked');
      const lost = [...input.lost, ...others.flatMap(({ lost: reason }) => reason ?? [])];
      const table = buildTable({
        signature: planSignature(first.call),
        operator: first.call.parameters.kind,
        output: first.call.output,
        weights: search.weights,
        seed: search.seed,
        inputs: rows.map(({ values }) => values),
        labels,
        models: [direct, ...others.filter((one) => one.lost === undefined)],
        ...(plan.settings === undefined ? {} : { earlier: plan.settings }),
      });
      if (table.contenders.length === 1) throw nothingToChoose(direct.model, lost);
      const conditions = await conditionsOf(ports, asksOf(plan), search);
      return {
        table: await ports.store.put(new TextEncoder().encode(JSON.stringify(table))),
        labelled: rows.length,
        implementations: table.contenders.length,
        lost,
        notes: notesOf(labels, sample.length),
        conditions,
      };
    });
}

/** The rows that the teacher has answered. */
async function labelled(
  ports: PlanQueryPorts,
  input: CompileSearchInput,
  plan: RunPlan,
  sample: readonly InputRow[],
): Promise<{ readonly rows: readonly InputRow[]; readonly labels: readonly JsonValue[] }> {
  const label = labelId(plan);
  const answers = await answersTo(ports, plan, label, sample);
  const rows = sample.filter((_, at) => answers[at] !== undefined);
  if (rows.length < Math.max(leastSample, leastAnswered * sample.length)) {
    const { schedule } = plannedCall(plan, label);
    const failure = await firstFailure(ports, input.runId, label, input.partitions);
    const why = failure === undefined ? '' : `: ${failure.code}: ${failure.message}`;
    throw new FermataError(
      'RunFailed',
      `the teacher ${schedule.model} labelled ${rows.length} of ${sample.length} inputs${why}`,
      { hint: 'its answers are kept: start again when it answers, or name another one with --teacher' },
    );
  }
  return { rows, labels: answers.flatMap((answer) => (answer === undefined ? [] : [answer.value])) };
}

/** In the order of the askings, the default model first; a candidate that did not answer enough with the reason. */
async function modelsOf(
  ports: PlanQueryPorts,
  input: CompileSearchInput,
  plan: RunPlan,
  rows: readonly InputRow[],
): Promise<readonly (ModelAnswers & { readonly lost?: LostCandidate })[]> {
  const models: (ModelAnswers & { readonly lost?: LostCandidate })[] = [];
  const label = labelId(plan);
  for (const id of input.asked.filter((asked) => asked !== label)) {
    const { model } = plannedCall(plan, id).schedule;
    const found = await answersTo(ports, plan, id, rows);
    const answers = found.map((answer) =>
      answer === undefined
        ? ({ state: 'none', usd: 0, ms: 0 } as const)
        : ({ state: 'ok', value: answer.value, usd: answer.usd, ms: answer.ms } as const),
    );
    const count = found.filter((answer) => answer !== undefined).length;
    if (count >= leastAnswered * rows.length) models.push({ model, answers });
    else {
      const failure = await firstFailure(ports, input.runId, id, input.partitions);
      const why = failure === undefined ? '' : `: ${failure.code}: ${failure.message}`;
      models.push({
        model,
        answers,
        lost: { name: model, reason: `answered ${count} of ${rows.length} inputs${why}` },
      });
    }
  }
  return models;
}

async function answersTo(
  ports: PlanQueryPorts,
  plan: RunPlan,
  id: string,
  rows: readonly InputRow[],
): Promise<readonly (Answer | undefined)[]> {
  const { call, schedule } = plannedCall(plan, id);
  const model = await ports.models.get(schedule.model);
  const salt = plan.cache ? undefined : plan.runId;
  return ports.ledger.lookup(rows.map((row) => renderInput(call, row, model, salt).key));
}

/** The asking whose answers are the labels. */
function labelId(plan: RunPlan): string {
  return asksOf(plan)[0]?.call.id ?? '';
}

function nothingToChoose(direct: string, lost: readonly LostCandidate[]): FermataError {
  const reasons = lost.map(({ name, reason }) => `${name}: ${reason}`).join('; ');
  const message = `nothing stands beside ${direct}${reasons === '' ? '' : ` (${reasons})`}`;
  return new FermataError('RunFailed', message, {
    hint: 'name other models with --candidates, or declare some in fermata.yaml; answers that were paid for are kept',
  });
}

function notesOf(labels: readonly JsonValue[], sampled: number): readonly string[] {
  const missing = sampled - labels.length;
  const kinds = new Set(labels.map((label) => JSON.stringify(label)));
  return [
    ...(missing === 0 ? [] : [`${missing} of ${sampled} inputs have no label and were left out`]),
    ...(kinds.size > 1
      ? []
      : [`all ${labels.length} labels are ${[...kinds].join()}: they cannot tell good plans from bad; raise --sample`]),
  ];
}
