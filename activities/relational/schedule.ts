import type { CallSchedule } from '../../plans/protocol/activities.js';
import type { SemanticCall } from '../../plans/operators/call.js';
import type { Model } from '../ports.js';

/** Partition sizes (design §3: 20 to 200 rows). */
const rowsAPartition = { least: 20, most: 200, partitions: 8 } as const;
const window = { least: 2, most: 16 } as const;

/**
 * How a call over about `inputs` distinct inputs is cut: small partitions while there is little work or the model is slow
 * (progress, and little to repeat after a crash), large ones for many rows; and as many in flight as keep the model's
 * concurrency busy while a partition ends.
 */
export function scheduleCall(
  call: SemanticCall,
  model: Model,
  queue: string,
  inputs: number,
  stopAfter: number | undefined,
): CallSchedule {
  const { concurrency, retries } = model.limits;
  const wanted = Math.ceil(inputs / rowsAPartition.partitions);
  const small = concurrency <= 2 || stopAfter !== undefined;
  const partitionRows = small ? rowsAPartition.least : clamp(wanted, rowsAPartition.least, rowsAPartition.most);
  return {
    id: call.id,
    operator: call.parameters.kind,
    role: call.role,
    model: model.name,
    queue,
    partitionRows,
    window: clamp(Math.ceil((2 * concurrency) / partitionRows) + 1, window.least, window.most),
    ...(retries === undefined ? {} : { retries }),
  };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(Math.max(value, low), high);
}
