/** What the figures of a run hang on, and its hash: entries of another manifest are measured anew. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Machine, machine } from '../harness/machine.js';
import type { Scenario } from './scenario.js';

export interface Settings {
  readonly rows: number;
  /** Calls in flight, of any system. */
  readonly concurrency: number;
  readonly timeScale: number;
}

export interface Manifest extends Settings {
  readonly hash: string;
  readonly scenario: string;
  readonly machine: Machine;
  /** SHA-256 by file. */
  readonly data: Readonly<Record<string, string>>;
  /** SHA-256 of the profiles of the simulated models. */
  readonly profiles: string;
  readonly synthetic?: string;
}

export function manifestOf(
  scenario: Scenario,
  settings: Settings,
  from: { readonly data: string; readonly profiles: unknown; readonly synthetic?: string },
): Manifest {
  const data = Object.fromEntries(
    scenario.files.map((file) => [file, sha256(readFileSync(join(from.data, scenario.folder, file)))]),
  );
  const profiles = sha256(JSON.stringify(from.profiles));
  const known = machine();
  const hangsOn = { scenario: scenario.name, ...settings, data, profiles, fermata: known.versions['fermata'] };
  return {
    hash: sha256(JSON.stringify(hangsOn)).slice(0, 12),
    scenario: scenario.name,
    ...settings,
    machine: known,
    data,
    profiles,
    ...(from.synthetic === undefined ? {} : { synthetic: from.synthetic }),
  };
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}
