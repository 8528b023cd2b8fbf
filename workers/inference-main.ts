/** The process that makes the calls: endpoints and local models. */
import { inferenceWorkers } from './inference.js';
import { runWorkerProcess } from './process/worker-process.js';

await runWorkerProcess((context) => inferenceWorkers(context));
