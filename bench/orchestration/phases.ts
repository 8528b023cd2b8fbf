/** When the steps of a run happened, read from its histories. */
import { Client, Connection } from '@temporalio/client';
import type { Row } from '../harness/report.js';

interface Stamp {
  readonly seconds?: { toNumber(): number } | number | null;
  readonly nanos?: number | null;
}

/** Milliseconds since `began` (of `Date.now()`) at which each step ended. */
export async function phasesOf(
  server: { readonly address: string; readonly namespace: string },
  runId: string,
  began: number,
): Promise<Row> {
  const connection = await Connection.connect({ address: server.address });
  try {
    const client = new Client({ connection, namespace: server.namespace });
    const history = await client.workflow.getHandle(runId).fetchHistory();
    const phases: Record<string, number> = {};
    const kinds = new Map<string, string>();
    const mark = (name: string, stamp: Stamp | null | undefined): void => {
      phases[name] = Math.round(toMs(stamp) - began);
    };
    for (const event of history.events ?? []) {
      const at = event.eventTime as Stamp | null | undefined;
      const scheduled = event.activityTaskScheduledEventAttributes;
      const completed = event.activityTaskCompletedEventAttributes;
      if (event.workflowExecutionStartedEventAttributes) mark('started', at);
      if (scheduled) {
        const name = scheduled.activityType?.name ?? '?';
        kinds.set(String(event.eventId), name);
        mark(`${name}…`, at);
      }
      if (completed) mark(kinds.get(String(completed.scheduledEventId)) ?? '?', at);
      if (event.childWorkflowExecutionStartedEventAttributes) mark('child started', at);
      if (event.childWorkflowExecutionCompletedEventAttributes) mark('child done', at);
      if (event.workflowExecutionCompletedEventAttributes) mark('done', at);
    }
    return phases;
  } finally {
    await connection.close();
  }
}

function toMs(stamp: Stamp | null | undefined): number {
  const seconds = stamp?.seconds ?? 0;
  return (typeof seconds === 'number' ? seconds : seconds.toNumber()) * 1000 + (stamp?.nanos ?? 0) / 1e6;
}
