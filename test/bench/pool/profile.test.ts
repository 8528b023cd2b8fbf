import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { readProfiles, withFaults } from '../../../bench/pool/profile.schema.js';

const file = readFileSync(new URL('../../../bench/pool/profiles.json', import.meta.url), 'utf8');

test('a value without a source, out of range or unknown is refused', () => {
  const spoiled = (spoil: (model: Record<string, Record<string, unknown>>) => void): string => {
    const profiles = JSON.parse(file) as { models: Record<string, Record<string, Record<string, unknown>>> };
    spoil(profiles.models['sim-mini']!);
    return JSON.stringify(profiles);
  };
  expect(() => readProfiles(spoiled(() => undefined))).not.toThrow();
  expect(() => readProfiles(spoiled(({ accuracy }) => (accuracy!['hi'] = 0.9)))).toThrow();
  expect(() => readProfiles(spoiled(({ accuracy }) => (accuracy!['hi'] = { value: 0.9 })))).toThrow();
  expect(() =>
    readProfiles(spoiled(({ accuracy }) => (accuracy!['hi'] = { value: 1.1, source: 'assumed' }))),
  ).toThrow();
  expect(() => readProfiles(spoiled((model) => (model['charm'] = { value: 1, source: 'assumed' })))).toThrow();
});

test('faults are set for all models or one', () => {
  const profiles = readProfiles(file);
  expect(withFaults(profiles, { hang: 0.5 })['sim-nano']?.faults).toMatchObject({ hang: 0.5, badJson: 0 });
  expect(withFaults(profiles, { hang: 0.5 }, 'sim-mini')['sim-nano']?.faults.hang).toBe(0);
});
