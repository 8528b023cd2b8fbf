import type { Client } from '@temporalio/client';
import type { ObjectStore } from '../activities/ports.js';
import type { Instance } from '../plans/logical/instance.js';
import type { DraftInput, DraftRequest, Drafts } from '../plans/protocol/drafting.js';
import { FermataError } from '../plans/protocol/errors.js';
import { parseJson } from '../plans/protocol/json.js';
import { queues } from '../plans/protocol/queues.js';
import type { RunBudget } from '../plans/protocol/run.js';
import type { draft } from '../workflows/draft.js';
import type { DraftOptions } from './api.js';
import { asFermataError } from './failures.js';
import { newDraftId } from './run-id.js';

/** Attempts unless the caller says otherwise: CADENZA's B_log. */
const usualAttempts = 3;

interface DraftPorts {
  readonly client: Client;
  readonly store: ObjectStore;
  /** Where workflows run. */
  readonly queue?: string;
}

/** Has plans drafted, and waits for them. A drafting that nobody waits for any more comes to its end by itself. */
export async function draftWith(
  { client, store, queue = queues.workflows }: DraftPorts,
  instance: Instance,
  { model, attempts = usualAttempts, cache = true }: DraftOptions,
  budget: RunBudget,
): Promise<Drafts> {
  const body: DraftRequest = { v: 1, instance, model, attempts, cache };
  const request = await store.put(new TextEncoder().encode(JSON.stringify(body)));
  const runId = newDraftId(request);
  const input: DraftInput = { v: 1, runId, request, budget };
  let drafts: string;
  try {
    drafts = await client.workflow.execute<typeof draft>('draft', {
      workflowId: runId,
      taskQueue: queue,
      args: [input],
      workflowRunTimeout: '1 day',
    });
  } catch (error) {
    throw asFermataError(error, runId);
  }
  const parsed = parseJson(new TextDecoder().decode(await store.get(drafts)));
  if (!parsed.ok) throw new FermataError('BadData', `the drafts are not JSON: ${parsed.error}`);
  return parsed.value as unknown as Drafts;
}
