import { expect, test } from 'vitest';
import type { Model } from '../../../activities/ports.js';
import { planStrategy } from '../../../activities/relational/plan-strategy.js';
import { scheduleCall } from '../../../activities/relational/schedule.js';
import type { SemanticCall } from '../../../plans/operators/call.js';
import { FermataError } from '../../../plans/protocol/errors.js';
import { call } from '../../support/relations.js';

const chat: Model = {
  name: 'chat',
  identity: 'chat',
  modalities: ['text'],
  limits: { concurrency: 8 },
  language: { complete: () => Promise.reject(new Error('unused')) },
};
const minilm: Model = {
  name: 'minilm',
  identity: 'minilm',
  modalities: ['text'],
  limits: { concurrency: 2 },
  embedder: { dimensions: 2, embed: () => Promise.reject(new Error('unused')) },
};
const models = [chat, minilm];
const ports = {
  models: {
    get: (name: string) => {
      const model = models.find((candidate) => candidate.name === name);
      return model === undefined ? Promise.reject(new FermataError('UnknownModel', name)) : Promise.resolve(model);
    },
    close: () => Promise.resolve(),
  },
  defaultModel: 'chat',
  defaultEmbedder: 'minilm',
  modelsWith: () => [],
  queueOf: () => 'q',
  store: { put: () => Promise.resolve('hash') },
};
const labels: SemanticCall = {
  ...call('c0', ['text'], { kind: 'enum', values: ['a', 'b'] }),
  parameters: { kind: 'classify', multi: false, labels: [{ label: 'a' }, { label: 'b' }] },
};
const plan = (asked: readonly (readonly [SemanticCall, Model])[], rows: number, size?: number) =>
  planStrategy(
    ports,
    asked.map(([one, model]) => ({ call: one, schedule: scheduleCall(one, model, 'q', rows, undefined) })),
    { kind: 'batched', ...(size === undefined ? {} : { size }) },
    new Map(),
  );

test('a model that reads no prompts answers directly, and it is said', async () => {
  const { calls, notes } = await plan(
    [
      [call('f0', ['text']), chat],
      [labels, minilm],
    ],
    1000,
  );
  expect(calls.map(({ schedule }) => schedule.prompts)).toEqual([{ kind: 'batched', size: 20 }, undefined]);
  expect(notes).toEqual([expect.stringMatching(/classify .* runs directly: minilm reads no prompts/)]);
  await expect(plan([[labels, minilm]], 1000)).rejects.toMatchObject({ code: 'BadArgument' });
});
