import type { Client, WorkflowExecutionInfo, WorkflowExecutionStatusName } from '@temporalio/client';
import type { RunSummary } from '../plans/protocol/run.js';

const states: Partial<Record<WorkflowExecutionStatusName, RunSummary['state']>> = {
  RUNNING: 'running',
  PAUSED: 'paused',
  CONTINUED_AS_NEW: 'running',
  COMPLETED: 'done',
  CANCELLED: 'cancelled',
  TERMINATED: 'cancelled',
};

/** Runs, newest first. */
export async function* listRuns(client: Client, limit = 50): AsyncGenerator<RunSummary> {
  let left = limit;
  for await (const info of client.workflow.list({ query: "WorkflowType IN ('query', 'optimize')" })) {
    if (left <= 0) return;
    // A search within a query is a part of it.
    if (info.workflowId.includes('/')) continue;
    left -= 1;
    yield summaryOf(info);
  }
}

/** What a list says of one run. */
export function summaryOf(
  info: Pick<WorkflowExecutionInfo, 'workflowId' | 'status' | 'memo' | 'startTime' | 'closeTime'>,
): RunSummary {
  return {
    runId: info.workflowId,
    state: states[info.status.name] ?? 'failed',
    sql: typeof info.memo?.['sql'] === 'string' ? info.memo['sql'] : '',
    startedAt: info.startTime.getTime(),
    ...(info.closeTime === undefined ? {} : { closedAt: info.closeTime.getTime() }),
  };
}
