import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Worker } from '@temporalio/worker';
import { describe, expect, test } from 'vitest';
import { historiesDir } from './record.js';

/** Workflow code of today replays the histories of every kind of run that earlier code made. */

const workflowBundle = { codePath: fileURLToPath(new URL('../../dist/workflow-bundle.js', import.meta.url)) };
const files = readdirSync(historiesDir).filter((name) => name.endsWith('.json'));

async function replay(names: readonly string[], change: (text: string) => string = (text) => text) {
  const errors = new Map<string, Error | undefined>();
  const histories = names.map((workflowId) => ({
    workflowId,
    history: JSON.parse(change(readFileSync(`${historiesDir}${workflowId}`, 'utf8'))) as unknown,
  }));
  for await (const result of Worker.runReplayHistories({ workflowBundle }, histories)) {
    errors.set(result.workflowId, result.error);
  }
  return errors;
}

describe('recorded histories', () => {
  test('there are histories of every kind of run', () => {
    for (const kind of [
      'complete',
      'paused',
      'budget',
      'cancelled',
      'deadline',
      'failed',
      'waves',
      'apply-continued',
      'cascade-query',
      'cascade-complete',
      'rounds-query',
      'rounds-complete',
      'cascade-embedding',
      'cascade-lexicon',
      'routed-query',
      'routed-program',
      'routed-later-part',
      'nested',
      'in-flight',
      'adaptive',
      'draft',
      'optimize-complete',
      'optimize-budget',
      'optimize-continued',
      'optimize-cancelled',
      'optimize-accepted',
      'optimize-paused',
      'operator-query',
      'operator-search',
      'optimize-within',
      'logical-query',
      'logical-code',
    ]) {
      expect(files.some((name) => name.startsWith(kind))).toBe(true);
    }
  });

  test('replay without a difference', async () => {
    const errors = await replay(files);
    expect([...errors].filter(([, error]) => error !== undefined)).toEqual([]);
    expect(errors.size).toBe(files.length);
  });

  test('and the check can fail: a history whose first activity has another name does not replay', async () => {
    const complete = files.filter((name) => name.startsWith('complete'));
    const errors = await replay(complete, (text) => text.replaceAll('"planQuery"', '"planQuerz"'));
    expect([...errors.values()].every((error) => error?.name === 'DeterminismViolationError')).toBe(true);
    expect(errors.size).toBeGreaterThan(0);
  });
});
