/** Who is asked about the sample of a search. */
import type { SemanticCall } from '../../plans/operators/call.js';
import type { PlanConditions } from '../../plans/optimize/conditions.js';
import { FermataError } from '../../plans/protocol/errors.js';
import type { PlannedCall, RunPlan } from '../../plans/protocol/run-plan.js';
import type { PlannedSearch, SearchSettings } from '../../plans/protocol/search.js';
import type { Models } from '../ports.js';
import { chooseModel } from '../relational/choose-model.js';
import type { PlanQueryPorts } from '../relational/plan-query.js';
import { scheduleCall } from '../relational/schedule.js';

/** Inputs of one partition of the sample: each that is finished is progress, and not asked again after a crash. */
const partitionRows = 20;
/** Buckets of one router, and thresholds, stay within what the tuner can search. */
const mostCandidates = 10;

/**
 * The teacher, the default model, then the candidates, under ids of their own: the ledger and the progress of the run keep them
 * apart. Throws `UnknownModel` or `ModalityUnsupported` for one that cannot answer, `BadArgument` for too many.
 *
 * @param within the call is one of a query: others may be searched for in the same run
 */
export async function planAsks(
  ports: PlanQueryPorts,
  { call, schedule }: PlannedCall,
  search: SearchSettings,
  within = false,
): Promise<readonly PlannedCall[]> {
  const direct = schedule.model;
  const names = [search.teacher ?? direct, direct, ...candidates(ports, call, search, direct)];
  const asks: PlannedCall[] = [];
  for (const [at, name] of names.entries()) {
    const id = at === 0 ? 'label' : `m${at - 1}`;
    const own = { ...call, id: within ? `${call.id}-${id}` : id, model: name };
    const model = await chooseModel(ports, own, undefined);
    const asked = scheduleCall(own, model, ports.queueOf(model.name), 0, undefined);
    const step = within ? { step: at === 0 ? ('labels' as const) : ('candidate' as const) } : {};
    asks.push({ call: own, schedule: { ...asked, partitionRows }, ...step });
  }
  return asks;
}

/** As the workflow needs it, of the plan of a search. Throws `Internal` without anybody to ask. */
export function schedulesOf(asks: readonly PlannedCall[]): PlannedSearch['asks'] {
  const [teacher, first, ...others] = asks.map(({ schedule }) => schedule);
  if (teacher === undefined || first === undefined) throw new FermataError('Internal', 'nobody is to be asked');
  return [teacher, first, ...others];
}

/** The plan of a search holds the call first, then whoever is asked. */
export function asksOf({ calls }: Pick<RunPlan, 'calls'>): readonly PlannedCall[] {
  return calls.slice(1);
}

export async function conditionsOf(
  { models }: { readonly models: Models },
  asks: readonly PlannedCall[],
  { weights }: SearchSettings,
): Promise<PlanConditions> {
  const names = asks.map(({ schedule }) => schedule.model);
  const backends: Record<string, string> = {};
  for (const name of names) backends[name] = (await models.get(name)).identity;
  return { weights, teacher: names[0] ?? '', direct: names[1] ?? '', backends };
}

/** Those that the user names, else every configured model that can answer; the default model is not among them. */
function candidates(
  { modelsWith }: PlanQueryPorts,
  call: SemanticCall,
  { candidates: named }: SearchSettings,
  direct: string,
): readonly string[] {
  const { parameters, position } = call;
  const labels = parameters.kind === 'classify' && !parameters.multi;
  const able = () => [...modelsWith('language', 'text'), ...(labels ? modelsWith('embedder') : [])];
  const chosen = [...new Set(named ?? able())].filter((name) => name !== direct);
  if (chosen.length <= mostCandidates) return chosen;
  throw new FermataError(
    'BadArgument',
    `${chosen.length} candidates are more than the ${mostCandidates} of one search`,
    { where: { operator: parameters.kind, position }, hint: 'name those that are worth a try: --candidates a,b' },
  );
}
