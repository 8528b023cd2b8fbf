/** History of a run's whole workflow tree. */
import { Client, Connection } from '@temporalio/client';

export interface HistoryUse {
  readonly bytes: number;
  readonly events: number;
  /** Workflow runs: the query, its children, and what either continued as. */
  readonly runs: number;
}

/** Sums over the query and its children, every run of each. */
export async function historyOf(
  server: { readonly address: string; readonly namespace: string },
  runId: string,
): Promise<HistoryUse> {
  const connection = await Connection.connect({ address: server.address });
  try {
    const client = new Client({ connection, namespace: server.namespace });
    const query = `WorkflowId = "${runId}" OR WorkflowId STARTS_WITH "${runId}/"`;
    let [bytes, events, runs] = [0, 0, 0];
    for await (const found of client.workflow.list({ query })) {
      const described = await client.workflow.getHandle(found.workflowId, found.runId).describe();
      bytes += described.historySize ?? 0;
      events += described.historyLength;
      runs += 1;
    }
    return { bytes, events, runs };
  } finally {
    await connection.close();
  }
}
