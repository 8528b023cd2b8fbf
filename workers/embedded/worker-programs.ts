/** Worker processes, by their names in status and logs, and the compiled program of each. */
export const workerPrograms = {
  workflow: 'workers/workflow-main.js',
  cpu: 'workers/cpu-main.js',
  inference: 'workers/inference-main.js',
} as const;

export type WorkerName = keyof typeof workerPrograms;
export const workerNames = Object.keys(workerPrograms) as readonly WorkerName[];

/**
 * Flags of Node by worker. Every call in flight holds young objects until its group of ledger writes commits: with V8's own
 * 16 MB of them a tenth of the inference worker's CPU at full speed is copying these from collection to collection.
 */
export const workerFlags: Readonly<Partial<Record<string, readonly string[]>>> = {
  inference: ['--max-semi-space-size=64'],
};
