import { endpointQueue, queues } from '../plans/protocol/queues.js';
import type { ModelSettings } from './config/settings.js';

/** Task queue whose workers serve a model: one for each endpoint, one for all local models on the same kind of device. */
export function queueOfModel(name: string, settings: ModelSettings): string {
  switch (settings.kind) {
    case 'openai':
      return endpointQueue(name);
    case 'llama':
      return queues.inferenceCpu;
    case 'onnx':
      return settings.executionProviders[0] === 'cuda' ? queues.inferenceGpu : queues.inferenceCpu;
  }
}
