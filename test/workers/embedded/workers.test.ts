import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { afterAll, describe, expect, it } from 'vitest';
import { FermataError } from '../../../plans/protocol/errors.js';
import { down, ensureStack, up } from '../../../workers/embedded/stack.js';
import { closeProjects, eventually, newProject, pidOf, processesIn, running, start, testEnv } from './project.js';

afterAll(closeProjects);

describe('workers', () => {
  it('that keep crashing are told at once, shown with their last words, and can be stopped', async () => {
    const project = newProject(['crashing', 'light']);
    const failure: unknown = await up(project.settings, testEnv, { plan: project.plan }).catch(
      (error: unknown) => error,
    );
    expect(FermataError.is(failure, 'StackFailed')).toBe(true);
    expect(String(failure)).toContain('The crashing-1 worker keeps ending (exit code 3)');
    expect(String(failure)).toContain('the weights are not where they should be');
    const found = await running(project);
    expect(found.state).toBe('degraded');
    expect(found.processes.find(({ name }) => name === 'crashing-1')).toMatchObject({
      state: 'crash-loop',
      lastExit: 'exit code 3',
      lastLines: ['the weights are not where they should be'],
    });
    expect(found.processes.find(({ name }) => name === 'light-2')).toMatchObject({ state: 'ready', restarts: 0 });
    // It is still tried, so that a stack heals by itself once the cause is gone.
    const tries = found.processes.find(({ name }) => name === 'crashing-1')!.restarts;
    await eventually('another try', async () => (await running(project)).processes[1]!.restarts > tries);
    await down(project.settings);
    expect(processesIn(project.settings.home)).toEqual([]);
  });

  it('alone are restarted when a key or a setting changes, and the key is never on disk', async () => {
    const project = newProject(['light', 'light']);
    const { settings, plan } = project;
    const first = await start(project);
    const keys = ['key-one-9d1c', 'key-two-77af', 'key-two-77af'] as const;

    const renamed = { ...settings, models: { ...settings.models, more: settings.models['hosted']! } };
    const steps = [
      { settings, key: keys[1] },
      { settings: renamed, key: keys[2] },
    ];
    let before = first;
    for (const step of steps) {
      const env = { ...testEnv, TEST_KEY: step.key };
      await ensureStack(step.settings, env, { plan });
      const after = await running(project);
      expect(after.state).toBe('ready');
      for (const worker of ['light-1', 'light-2']) expect(pidOf(after, worker)).not.toBe(pidOf(before, worker));
      expect([after.supervisorPid, pidOf(after, 'server'), after.address]).toEqual([
        first.supervisorPid,
        pidOf(first, 'server'),
        first.address,
      ]);
      const log = readFileSync(after.processes[1]!.log, 'utf8').trim().split('\n');
      expect(log.at(-1)).toContain(`key=${createHash('sha256').update(step.key).digest('hex').slice(0, 8)}`);
      // Nothing changed since: nothing is restarted.
      await ensureStack(step.settings, env, { plan });
      expect(pidOf(await running(project), 'light-1')).toBe(pidOf(after, 'light-1'));
      before = after;
    }
    expect(JSON.parse(readFileSync(join(settings.home, 'settings.json'), 'utf8'))).toEqual(renamed);
    for (const text of filesUnder(settings.home)) for (const key of keys) expect(text.includes(key)).toBe(false);

    // Limits bind runs, not workers.
    const strict = { ...renamed, limits: { ...settings.limits, maxCostUsd: 1 } };
    await ensureStack(strict, { ...testEnv, TEST_KEY: keys[2] }, { plan });
    expect(pidOf(await running(project), 'light-1')).toBe(pidOf(before, 'light-1'));
  });

  it('that ignore SIGTERM do not keep a stack from going down', async () => {
    const project = newProject(['deaf', 'light']);
    await start(project);
    await down(project.settings);
    expect(processesIn(project.settings.home)).toEqual([]);
  });
});

function filesUnder(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
    .map((path) => readFileSync(path, 'latin1'));
}
