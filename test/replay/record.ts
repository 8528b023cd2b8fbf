/**
 * Saves the history of a finished workflow and of its children, where the tests of workflows play every kind of run.
 * Only with FERMATA_RECORD set: a committed history is never overwritten, a new version of a workflow gets new files.
 */
import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Client } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

export const historiesDir = fileURLToPath(new URL('./histories/', import.meta.url));

export async function recordHistory(
  client: Client,
  workflowId: string,
  runId: string | undefined,
  name: string,
): Promise<void> {
  if (process.env['FERMATA_RECORD'] === undefined) return;
  const file = `${historiesDir}${name}.json`;
  if (existsSync(file)) return;
  const history = await client.workflow.getHandle(workflowId, runId).fetchHistory();
  writeFileSync(file, `${withoutPaths(historyToJSON(history))}\n`);
}

/** Stack traces name the folders of the machine that recorded. */
function withoutPaths(json: string): string {
  return json.replace(/"stackTrace": "[^"]*"/g, '"stackTrace": ""');
}
