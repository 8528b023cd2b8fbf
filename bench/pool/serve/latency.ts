import type { ModelProfile } from '../profile.schema.js';
import { drawsOf } from '../random.js';

/** The 95th percentile of a standard normal. */
const z95 = 1.6448536269514722;

/** Time that a call takes, in ms: log-normal by median and 95th percentile, and time a token. */
export function latencyMs(
  { latency }: ModelProfile,
  call: readonly (string | number)[],
  inputTokens: number,
  outputTokens: number,
): number {
  const { medianMs, p95Ms, perInputTokenMs, perOutputTokenMs } = latency;
  const spread = medianMs > 0 ? Math.log(Math.max(1, p95Ms / medianMs)) / z95 : 0;
  const base = medianMs * Math.exp(spread * drawsOf('latency', ...call).normal());
  return base + perInputTokenMs * inputTokens + perOutputTokenMs * outputTokens;
}
