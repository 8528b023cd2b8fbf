/**
 * The inference worker of benchmarks: the product's own, plus a model `noop` that answers in this process at once. What is
 * left is the engine: rendering, keys, ledger, gate, decoding, partitions, Temporal.
 */
import type { Model } from '../../activities/ports.js';
import { inferenceWorkers } from '../../workers/inference.js';
import { runWorkerProcess } from '../../workers/process/worker-process.js';
import type { OpenedModel } from '../../workers/runtime/models/backend.js';
import { noopModel } from './noop-model.js';

const model: Model = {
  name: noopModel.name,
  identity: 'bench:noop',
  modalities: ['text'],
  limits: noopModel.limits,
  price: { unit: 'tokens', inputPerMTok: 1, outputPerMTok: 2 },
  language: {
    complete: () => Promise.resolve({ text: '{"answer": false}', usage: { inputTokens: 60, outputTokens: 5 } }),
  },
};
const opened: OpenedModel = { model, close: () => Promise.resolve() };

await runWorkerProcess((context) => inferenceWorkers(context, { [noopModel.name]: () => Promise.resolve(opened) }));
