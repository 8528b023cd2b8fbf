/** Worker processes, by their names in status and logs, and the compiled program of each. */
export const workerPrograms = {
  workflow: 'workers/workflow-main.js',
  cpu: 'workers/cpu-main.js',
  inference: 'workers/inference-main.js',
} as const;

export type WorkerName = keyof typeof workerPrograms;
export const workerNames = Object.keys(workerPrograms) as readonly WorkerName[];
