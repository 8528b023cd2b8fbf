import {
  allCalls,
  type PlannedCall,
  type PreparedCalls,
  type RunPlan,
  runObjects,
} from '../plans/protocol/run-plan.js';
import { type CascadeRecord, describeCascade } from '../plans/physical/cascade/record.js';
import { proxyName } from '../plans/physical/cascade/steps.js';
import type { ObjectStore } from './ports.js';
import { readRecord } from './wave-records.js';

/** What a cascade learned in one wave; undefined until it has. Throws `BadData` for a damaged record. */
export async function readCascade(
  store: ObjectStore,
  runId: string,
  wave: number,
  call: string,
): Promise<CascadeRecord | undefined> {
  return readRecord(store, runObjects.cascade(runId, wave, call));
}

/** The records of all waves of a call, in their order. */
export async function readCascades(
  store: ObjectStore,
  runId: string,
  prepared: PreparedCalls,
  call: string,
): Promise<readonly CascadeRecord[]> {
  const records: CascadeRecord[] = [];
  for (const { wave, call: other } of prepared.calls) {
    const record = other === call ? await readCascade(store, runId, wave, call) : undefined;
    if (record !== undefined) records.push(record);
  }
  return records;
}

/** One sentence for each call that ran as a cascade. */
export async function cascadeNotes(
  store: ObjectStore,
  plan: RunPlan,
  prepared: PreparedCalls,
): Promise<readonly string[]> {
  const notes: string[] = [];
  for (const planned of allCalls(plan)) {
    const { strategy } = planned.schedule;
    if (strategy === undefined) continue;
    const records = await readCascades(store, plan.runId, prepared, planned.call.id);
    if (records.length > 0)
      notes.push(describeCascade(titleOf(planned), proxyName(strategy), strategy.targets, records));
  }
  return notes;
}

/** Longest part of an intent in a note, in UTF-16 units. */
const intentShown = 60;

export function titleOf({ call, schedule }: PlannedCall): string {
  return `${schedule.operator} "${call.template.slice(0, intentShown)}"`;
}
