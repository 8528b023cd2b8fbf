/** Task queues (design §8). Every queue of an endpoint is its own, so that a server-side rate limit can be set on it. */
export const queues = {
  workflows: 'fermata-workflows',
  cpu: 'fermata-cpu',
  inferenceCpu: 'fermata-inference-cpu',
  inferenceGpu: 'fermata-inference-gpu',
} as const;

/** Queue of one rate-limited endpoint, by the name of its model in `fermata.yaml`. */
export function endpointQueue(model: string): string {
  return `fermata-endpoint-${model}`;
}
