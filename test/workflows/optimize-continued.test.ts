import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SearchTable } from '../../plans/optimize/table.js';
import { newHistory, nextTrial } from '../../plans/optimize/trial.js';
import { recordHistory } from '../replay/record.js';
import { complaintModels, complaints, complaintSql } from '../support/complaints.js';
import { type Engine, startEngine } from '../support/engine.js';

/** Continue-as-new after every few trials changes nothing: the trace is that of the table, computed without any workflow. */

let engine: Engine;
beforeAll(async () => {
  // A trial takes six events: about three a run of the workflow.
  const models = complaintModels({ broken: () => false, onCall: () => undefined });
  engine = await startEngine(models, ['limit.historyCount.suggestContinueAsNew=22']);
}, 120_000);
afterAll(() => engine.close());

async function read<T>(hash: string): Promise<T> {
  return JSON.parse(new TextDecoder().decode(await engine.store.get(hash))) as T;
}

test('a search that is continued as new every few trials tries and finds the same', async () => {
  const options = { candidates: ['small', 'liar'], trials: 16, seed: 5 };
  const search = await engine.optimize(complaintSql, complaints(0, 200), options);
  const result = await search.result();
  expect(result).toMatchObject({ stop: 'complete', trials: 16 });

  const table = await read<SearchTable>(result.table);
  let history = newHistory(table);
  for (let trial = 0; trial < 16; trial++) history = nextTrial(table, history)!.history;
  expect(await read(result.history)).toEqual(history);

  const last = await engine.client.workflow.getHandle(search.id).fetchHistory();
  expect(last.events![0]!.workflowExecutionStartedEventAttributes!.continuedExecutionRunId).not.toBe('');
  const trials = last.events!.filter(
    ({ activityTaskScheduledEventAttributes: scheduled }) => scheduled?.activityType?.name === 'runTrial',
  );
  expect(trials.length).toBeLessThanOrEqual(4);
  await recordHistory(engine.client, search.id, undefined, 'optimize-continued');
});
