/** The model that answers in the inference worker itself; its entry in fermata.yaml gives it a queue. */
export const noopModel = {
  name: 'noop',
  limits: { concurrency: 1024 },
  settings: {
    kind: 'openai',
    model: 'noop',
    /** Never called. */
    baseUrl: 'http://127.0.0.1:9/v1',
    apiKeyEnv: 'BENCH_KEY',
    price: { inputPerMTok: 1, outputPerMTok: 2 },
    limits: { concurrency: 1024 },
  },
} as const;
