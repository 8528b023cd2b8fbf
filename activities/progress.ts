import type { SemanticCall } from '../plans/operators/call.js';
import type { OperatorProgress, RunPhase, RunProgress } from '../plans/protocol/run.js';
import {
  allCalls,
  type PlannedCall,
  type PreparedCalls,
  runObjects,
  type RunPlan,
} from '../plans/protocol/run-plan.js';
import { sharesOf } from '../plans/physical/cascade/record.js';
import { reportedSteps, stepSchedule } from '../plans/physical/cascade/steps.js';
import { questionsId, vectorsId } from '../plans/physical/rounds/steps.js';
import { routedShares } from '../plans/physical/routed/record.js';
import { routedId, stepBy, stepsOf } from '../plans/physical/routed/steps.js';
import type { RoutedSchedule } from '../plans/protocol/strategy.js';
import { readCascades } from './cascade-records.js';
import type { Clock, Ledger, ObjectStore, ProgressPublisher, Spend } from './ports.js';
import { readPrepared } from './prepared-calls.js';
import { readRoutedRecords } from './routed-records.js';

/** Milliseconds between two records of one run by one process. */
const everyMs = 1_000;

export interface ProgressPorts {
  readonly store: ObjectStore;
  readonly ledger: Ledger;
  readonly clock: Clock;
}

/**
 * Publishes a run's progress record from the ledger's counters. Several processes may write the same record: each writes
 * what the ledger says, so that the latest is right.
 */
export function createProgressPublisher(ports: ProgressPorts): ProgressPublisher {
  const last = new Map<string, number>();
  const writing = new Set<string>();
  return {
    touch(plan) {
      const now = ports.clock.now();
      if (writing.has(plan.runId) || now - (last.get(plan.runId) ?? 0) < everyMs) return;
      last.set(plan.runId, now);
      writing.add(plan.runId);
      // A record is a view: one that could not be written is followed by the next.
      void publishProgress(ports, plan, 'running')
        .catch(() => undefined)
        .finally(() => writing.delete(plan.runId));
      if (last.size > 1_000) for (const [run, at] of last) if (now - at > 60_000) last.delete(run);
    },
  };
}

/** What has a line of its own: a call, or each step of a call that is run as a cascade. */
interface Part extends Pick<OperatorProgress, 'id' | 'operator' | 'intent' | 'model' | 'position'> {
  /** Id of the prepared call that tells its inputs. */
  readonly inputs: string;
  readonly strategy: Pick<OperatorProgress, 'strategy' | 'step' | 'share'>;
  readonly media: Media;
}

/** Images and clips of one input. */
type Media = Pick<OperatorProgress, 'images' | 'clips'>;

function mediaOf({ inputs }: SemanticCall): Media {
  const images = inputs.filter(({ modality }) => modality === 'image').length;
  const clips = inputs.filter(({ modality }) => modality === 'audio').length;
  return { ...(images === 0 ? {} : { images }), ...(clips === 0 ? {} : { clips }) };
}

/** Of all inputs that were paid for. */
function mediaSent({ images, clips }: Media, { answered, cached }: Spend): Media {
  const asked = answered - cached;
  return {
    ...(images === undefined ? {} : { images: images * asked }),
    ...(clips === undefined ? {} : { clips: clips * asked }),
  };
}

async function partsOf(store: ObjectStore, plan: RunPlan, prepared: PreparedCalls): Promise<readonly Part[]> {
  const parts: Part[] = [];
  for (const { call, schedule, step } of allCalls(plan)) {
    const { operator, model } = schedule;
    const common = { operator, intent: call.template, position: call.position, media: mediaOf(call) };
    if (schedule.routed !== undefined) {
      parts.push(...(await routedParts(store, plan, prepared, { call, schedule, routed: schedule.routed })));
      continue;
    }
    if (schedule.strategy === undefined) {
      const { prompts, rounds } = schedule;
      const strategy = {
        ...(prompts === undefined ? {} : { strategy: prompts.kind }),
        ...(step === undefined ? {} : { step }),
      };
      const inputs = rounds === undefined ? call.id : questionsId(call.id);
      if (rounds?.nearness !== undefined) {
        const vectors = { id: vectorsId(call.id), operator: 'embed', model: rounds.nearness.model, inputs: call.id };
        parts.push({ ...common, ...vectors, strategy: {} });
      }
      parts.push({ ...common, id: call.id, model, inputs, strategy });
      continue;
    }
    const { kind: strategy } = schedule.strategy;
    const records = await readCascades(store, plan.runId, prepared, call.id);
    const shares = records.length === 0 ? undefined : sharesOf(records);
    for (const step of reportedSteps(schedule.strategy)) {
      const { id, model } = stepSchedule(schedule, step);
      const share = shares === undefined ? {} : { share: shares[step === 'sides' ? 'proxy' : step] };
      parts.push({
        ...common,
        id,
        model,
        inputs: step === 'proxy' ? call.id : id,
        strategy: { strategy, step, ...share },
      });
    }
  }
  return parts;
}

/** One for each implementation, and one for safe mode where an input came to it. */
async function routedParts(
  store: ObjectStore,
  plan: RunPlan,
  prepared: PreparedCalls,
  { call, schedule, routed }: PlannedCall & { readonly routed: RoutedSchedule },
): Promise<readonly Part[]> {
  const records = await readRoutedRecords(store, plan.runId, prepared.calls, call.id);
  const shares = records.length === 0 ? undefined : routedShares(records);
  const parts = stepsOf(routed).map((step, at): Part => {
    const { name, model } = stepBy(routed, step);
    const id = routedId(call.id, step);
    const share = shares === undefined ? {} : { share: shares[at] ?? 0 };
    return {
      ...{ id, inputs: id, operator: schedule.operator, model, media: mediaOf(call) },
      ...{ intent: call.template, position: call.position },
      strategy: { strategy: 'routed', step: step === 'safe' ? step : name, ...share },
    };
  });
  const isAsked = ({ id }: Part): boolean => prepared.calls.some((entry) => entry.call === id && entry.inputs > 0);
  return [...parts.slice(0, -1), ...parts.slice(-1).filter(isAsked)];
}

/** Writes the record now. Returns what it says of each operator. */
export async function publishProgress(
  ports: ProgressPorts,
  plan: RunPlan,
  phase: RunPhase,
): Promise<readonly OperatorProgress[]> {
  const now = ports.clock.now();
  const prepared = await readPrepared(ports.store, plan.runId, now);
  const operators: OperatorProgress[] = [];
  for (const part of await partsOf(ports.store, plan, prepared)) {
    const waves = prepared.calls.filter((entry) => entry.call === part.inputs);
    const spend = await ports.ledger.spend(plan.runId, part.id);
    operators.push({
      id: part.id,
      operator: part.operator,
      intent: part.intent.slice(0, 200),
      model: part.model,
      ...(part.position === undefined ? {} : { position: part.position }),
      inputs: waves.reduce((sum, entry) => sum + entry.inputs, 0),
      answered: spend.answered,
      calls: spend.calls,
      cached: spend.cached,
      retries: spend.retries,
      failed: spend.failed,
      usd: spend.usd,
      unpriced: spend.unpriced,
      inputTokens: spend.inputTokens,
      outputTokens: spend.outputTokens,
      ...mediaSent(part.media, spend),
      ms: waves.length === 0 ? 0 : now - Math.min(...waves.map((entry) => entry.at)),
      ...part.strategy,
    });
  }
  const record: RunProgress = {
    v: 1,
    runId: plan.runId,
    phase,
    operators,
    startedAt: prepared.startedAt,
    updatedAt: now,
  };
  await ports.store.putNamed(runObjects.progress(plan.runId), new TextEncoder().encode(JSON.stringify(record)));
  return operators;
}
