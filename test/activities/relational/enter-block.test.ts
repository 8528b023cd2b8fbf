import { expect, test } from 'vitest';
import type { Model } from '../../../activities/ports.js';
import { type BlockPlan, enterBlock, type BlockPorts } from '../../../activities/relational/enter-block.js';
import { scheduleCall } from '../../../activities/relational/schedule.js';
import { call } from '../../support/relations.js';

const chat: Model = {
  name: 'chat',
  identity: 'chat',
  modalities: ['text'],
  limits: { concurrency: 8 },
  language: { complete: () => Promise.reject(new Error('unused')) },
};
const asked = call('f0', ['text']);

async function partitionRows(rows: number, size: number): Promise<number> {
  const ports = {
    models: { get: () => Promise.resolve(chat), close: () => Promise.resolve() },
    relations: { makeSource: () => Promise.resolve({}), chooseRows: () => Promise.resolve({ object: '', rows }) },
  } as unknown as BlockPorts;
  const schedule = { ...scheduleCall(asked, chat, 'q', 0, undefined), prompts: { kind: 'batched', size } };
  const plan = { query: { calls: [asked] }, all: [{ call: asked, schedule }], tables: [] } as unknown as BlockPlan;
  const { plan: entered } = await enterBlock(ports, plan);
  return entered.calls[0]!.schedule.partitionRows;
}

test.each([2, 19, 50, 137, 200])('partitions hold whole batches of %i, for any number of rows', async (size) => {
  for (const rows of [1, 100, 1000, 100_000]) expect((await partitionRows(rows, size)) % size).toBe(0);
});
