import { mostProfiled } from '../../plans/drift/profile.js';
import { evaluate, qualityInterval } from '../../plans/optimize/evaluate.js';
import { objectiveOf, trialMetrics, utilityOf } from '../../plans/optimize/objective.js';
import { planOf } from '../../plans/optimize/plan-of.js';
import { aloneConfiguration } from '../../plans/optimize/space.js';
import { bestSettings } from '../../plans/optimize/settings.js';
import type { SearchTable } from '../../plans/optimize/table.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { JsonValue } from '../../plans/protocol/json.js';
import type {
  FinishSearchInput,
  MeasuredPlan,
  ReportedImplementation,
  SearchResult,
  TriedPlan,
} from '../../plans/protocol/search.js';
import { planIdOf, type SavedPlan } from '../../plans/protocol/saved-plan.js';
import { readHistory, type TrialHistory } from '../../plans/tuning/history.js';
import type { Configuration } from '../../plans/tuning/space.js';
import { beating } from '../heartbeat.js';
import { publishProgress } from '../progress.js';
import type { PartitionCodec } from '../ports.js';
import { readPrepared } from '../prepared-calls.js';
import type { RelationalPorts } from '../relational/prepare-call.js';
import { loadJson, loadPlan } from '../run-plans.js';
import { keepPlan } from './kept-plans.js';
import { profileInputs, someInputs } from './profile-inputs.js';

export interface FinishSearchPorts extends RelationalPorts {
  readonly codec: PartitionCodec;
}

/** Writes the plan of the incumbent and says what was tried, what it promises and what it cost. */
export function createFinishSearch(ports: FinishSearchPorts) {
  return (input: FinishSearchInput): Promise<SearchResult> =>
    beating(ports.scope(), async () => {
      const table = await loadJson<SearchTable>(ports.store, input.search.table);
      const history = readHistory(await loadJson<JsonValue>(ports.store, input.history));
      const chosen = configurationOf(history, input.incumbent);
      const routed = planOf(table, chosen);
      const plan = await ports.store.put(new TextEncoder().encode(`${JSON.stringify(routed, undefined, 2)}\n`));
      const direct = measured(table, history, 0);
      const incumbent = measured(table, history, input.incumbent);
      const saved = input.incumbent === 0 || input.stop === 'cancelled' ? undefined : planIdOf(plan);
      if (saved !== undefined) {
        const { labelled, conditions } = input.search;
        await keepPlan(ports.store, {
          ...{ v: 1, id: saved, runId: input.runId, savedAt: ports.clock.now(), metric: table.metric, labelled },
          ...{ direct, measured: incumbent, plan: routed },
          ...(conditions === undefined ? {} : { conditions }),
          ...(await profiled(ports, input, table)),
          settings: bestSettings(table, history),
        });
      }
      const tried = await ports.store.put(new TextEncoder().encode(JSON.stringify(triedPlans(table, history))));
      const phase = input.within === true ? 'running' : 'done';
      const operators = await publishProgress(ports, await loadPlan(ports.store, input.plan), phase);
      return {
        v: 1,
        runId: input.runId,
        stop: input.stop,
        plan,
        ...(saved === undefined ? {} : { saved }),
        table: input.search.table,
        history: input.history,
        tried,
        direct,
        incumbent,
        trials: history.trials.length,
        labelled: input.search.labelled,
        metric: table.metric,
        implementations: implementations(table, chosen),
        lost: input.search.lost,
        operators,
        spend: await ports.ledger.spend(input.runId),
        ms: ports.clock.now() - input.startedAt,
        notes: input.search.notes,
      };
    });
}

/** Of the inputs that the sample was drawn from. */
async function profiled(
  ports: FinishSearchPorts,
  { runId, plan }: FinishSearchInput,
  { scorer }: SearchTable,
): Promise<Pick<SavedPlan, 'profile'>> {
  const [first] = (await loadPlan(ports.store, plan)).calls;
  const { calls } = await readPrepared(ports.store, runId, ports.clock.now());
  const prepared = calls.findLast(({ call }) => call === first?.call.id);
  if (prepared === undefined) return {};
  const { call, wave, partitions, inputs } = prepared;
  const some = await someInputs(ports, { runId, call, wave, partitions }, mostProfiled);
  const profile = profileInputs(some, inputs, scorer);
  return profile === undefined ? {} : { profile };
}

function configurationOf(history: TrialHistory, trial: number): Configuration {
  const found = history.trials[trial];
  if (found === undefined) throw new FermataError('Internal', `there is no trial ${trial}`);
  return found.configuration;
}

function measured(table: SearchTable, history: TrialHistory, trial: number): MeasuredPlan {
  const configuration = configurationOf(history, trial);
  const metrics = trialMetrics(evaluate(table, configuration));
  const utility = utilityOf(objectiveOf(table), metrics);
  return { trial, utility, ...metrics, interval: qualityInterval(table, configuration) };
}

function triedPlans(table: SearchTable, history: TrialHistory): readonly TriedPlan[] {
  const objective = objectiveOf(table);
  return history.trials.map(({ configuration }, trial) => {
    const evaluation = evaluate(table, configuration);
    const metrics = trialMetrics(evaluation);
    const shares = evaluation.routed.map((rows) => rows / table.labels.length);
    return { trial, utility: utilityOf(objective, metrics), ...metrics, shares };
  });
}

function implementations(table: SearchTable, chosen: Configuration): readonly ReportedImplementation[] {
  const { routed } = evaluate(table, chosen);
  return table.contenders.map(({ implementation }, at) => ({
    name: implementation.name,
    family: implementation.family,
    quality: evaluate(table, aloneConfiguration(table, at)).quality,
    usd: implementation.usd,
    seconds: implementation.seconds,
    share: (routed[at] ?? 0) / table.labels.length,
  }));
}
