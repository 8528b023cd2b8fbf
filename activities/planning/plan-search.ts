import type { SemanticCall } from '../../plans/operators/call.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall, RunPlan } from '../../plans/protocol/run-plan.js';
import type { PlannedSearch, PlanSearchInput, SearchRequest, SearchSettings } from '../../plans/protocol/search.js';
import { searchProblem } from '../../plans/optimize/supported.js';
import { beating } from '../heartbeat.js';
import { chooseModel } from '../relational/choose-model.js';
import { firstBlock, type PlanQueryPorts } from '../relational/plan-query.js';
import { scheduleCall } from '../relational/schedule.js';
import { loadJson } from '../run-plans.js';

/** Inputs of one partition of the sample: each that is finished is progress, and not asked again after a crash. */
const partitionRows = 20;
/** Buckets of one router, and thresholds, stay within what the tuner can search. */
const mostCandidates = 10;

/**
 * Checks the query and everyone who will be asked, before anything is. Throws `UnsupportedSql` for a query that cannot be
 * optimized, `UnknownModel` or `ModalityUnsupported` for a teacher or candidate that cannot answer it.
 */
export function createPlanSearch(ports: PlanQueryPorts) {
  return (input: PlanSearchInput): Promise<PlannedSearch> =>
    beating(ports.scope(), async () => {
      const { query, search } = await loadJson<SearchRequest>(ports.store, input.request);
      const { plan, rows } = await firstBlock(ports, input.runId, query);
      const [planned, ...more] = plan.all ?? plan.calls;
      const problem = searchProblem(plan.query, planned?.call, more.length);
      if (planned === undefined || problem !== undefined) {
        throw new FermataError('UnsupportedSql', problem ?? 'the query asks no model', {
          ...(planned === undefined ? {} : { where: placeOf(planned.call) }),
          hint: 'optimize takes a query with one AI_FILTER, AI_CLASSIFY, AI_SCORE, AI_SENTIMENT or AI_COMPLETE of texts',
        });
      }
      const direct = planned.schedule.model;
      const names = [search.teacher ?? direct, direct, ...candidates(ports, planned.call, search, direct)];
      const asks: PlannedCall[] = [];
      for (const [at, name] of names.entries()) asks.push(await asking(ports, planned.call, at, name));
      const whole: RunPlan = { ...plan, calls: [planned, ...asks], all: asks };
      const [teacher, first, ...others] = asks.map(({ schedule }) => schedule);
      if (teacher === undefined || first === undefined) throw new FermataError('Internal', 'nobody is to be asked');
      return {
        plan: await ports.store.put(new TextEncoder().encode(JSON.stringify(whole))),
        call: planned.schedule,
        rows,
        asks: [teacher, first, ...others],
        trials: search.trials,
      };
    });
}

function placeOf(call: SemanticCall): { readonly operator: string; readonly position: number } {
  return { operator: call.parameters.kind, position: call.position };
}

/** Those that the user names, else every configured model that can answer; the default model is not among them. */
function candidates(
  { modelsWith }: PlanQueryPorts,
  call: SemanticCall,
  { candidates: named }: SearchSettings,
  direct: string,
): readonly string[] {
  const { parameters } = call;
  const labels = parameters.kind === 'classify' && !parameters.multi;
  const able = () => [...modelsWith('language', 'text'), ...(labels ? modelsWith('embedder') : [])];
  const chosen = [...new Set(named ?? able())].filter((name) => name !== direct);
  if (chosen.length <= mostCandidates) return chosen;
  throw new FermataError(
    'BadArgument',
    `${chosen.length} candidates are more than the ${mostCandidates} of one search`,
    {
      where: placeOf(call),
      hint: 'name those that are worth a try: --candidates a,b',
    },
  );
}

/** The sample is asked under ids of their own: the ledger and the progress of the run keep them apart. */
async function asking(ports: PlanQueryPorts, call: SemanticCall, at: number, name: string): Promise<PlannedCall> {
  const id = at === 0 ? 'label' : `m${at - 1}`;
  const own = { ...call, id, model: name };
  const model = await chooseModel(ports, own, undefined);
  const schedule = scheduleCall(own, model, ports.queueOf(model.name), 0, undefined);
  return { call: own, schedule: { ...schedule, partitionRows } };
}
