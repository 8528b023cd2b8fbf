import type { RoutedInput } from '../plans/protocol/activities.js';
import { allCalls, type PreparedCalls, type RunPlan, runObjects } from '../plans/protocol/run-plan.js';
import type { RoutedPlan } from '../plans/physical/routed/plan.js';
import { massesOfLogits } from '../plans/physical/router/buckets.js';
import { describeRoute, describeRouted, type RoutedRecord } from '../plans/physical/routed/record.js';
import { titleOf } from './cascade-records.js';
import type { ObjectStore } from './ports.js';
import { loadJson } from './run-plans.js';
import { readRecord } from './wave-records.js';

export async function writeRoutedRecord(store: ObjectStore, at: RoutedInput, record: RoutedRecord): Promise<void> {
  const name = runObjects.routed(at.runId, at.wave, at.call);
  await store.putNamed(name, new TextEncoder().encode(JSON.stringify(record)));
}

/** The records of the waves of a call that have been routed, in their order. Throws `BadData` for a damaged one. */
export async function readRoutedRecords(
  store: ObjectStore,
  runId: string,
  prepared: PreparedCalls['calls'],
  call: string,
): Promise<readonly RoutedRecord[]> {
  const records: RoutedRecord[] = [];
  for (const { wave } of prepared.filter((entry) => entry.call === call)) {
    const record = await readRecord<RoutedRecord>(store, runObjects.routed(runId, wave, call));
    if (record !== undefined) records.push(record);
  }
  return records;
}

/** One sentence for each call that a routed plan is to answer. */
export async function routeNotes(store: ObjectStore, plan: RunPlan): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const planned of allCalls(plan)) {
    const { routed } = planned.schedule;
    if (routed === undefined) continue;
    const { router } = await loadJson<RoutedPlan>(store, routed.plan);
    notes.push(describeRoute(titleOf(planned), routed, massesOfLogits(router.logits)));
  }
  return notes;
}

/** One sentence for each call that was answered by a routed plan. */
export async function routedNotes(
  store: ObjectStore,
  plan: RunPlan,
  prepared: PreparedCalls,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const planned of allCalls(plan)) {
    const { routed } = planned.schedule;
    if (routed === undefined) continue;
    const records = await readRoutedRecords(store, plan.runId, prepared.calls, planned.call.id);
    if (records.length > 0) notes.push(describeRouted(titleOf(planned), routed, records));
  }
  return notes;
}
