import { expect, test } from 'vitest';
import { defaultProfiles } from '../../../bench/pool/profile.schema.js';
import { latencyMs } from '../../../bench/pool/serve/latency.js';

const share = (values: readonly number[], below: number): number =>
  values.filter((x) => x < below).length / values.length;

test.each(Object.entries(defaultProfiles()))(
  '%s: half of the calls take less than the median, 95 %% less than the 95th percentile',
  (name, profile) => {
    const { medianMs, p95Ms, perOutputTokenMs, perInputTokenMs } = profile.latency;
    const times = Array.from({ length: 4000 }, (_, n) => latencyMs(profile, [name, n], 0, 0));
    expect(share(times, medianMs)).toBeCloseTo(0.5, 1);
    expect(share(times, p95Ms)).toBeGreaterThan(0.93);
    expect(share(times, p95Ms)).toBeLessThan(0.97);
    expect(latencyMs(profile, [name, 1], 1000, 10)).toBeCloseTo(
      (times[1] ?? 0) + 1000 * perInputTokenMs + 10 * perOutputTokenMs,
      6,
    );
  },
);
