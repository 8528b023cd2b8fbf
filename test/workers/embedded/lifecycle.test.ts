import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { compiled } from '../../../workers/embedded/package-root.js';
import { down, ensureStack, status } from '../../../workers/embedded/stack.js';
import { stackPaths } from '../../../workers/embedded/stack-state.js';
import { closeProjects, newProject, processesIn, start, testEnv } from './project.js';

afterAll(closeProjects);

describe('a stack', () => {
  it('comes up, tells its state, and leaves no process and no state behind', async () => {
    const project = newProject(['light', 'light']);
    const { settings, plan } = project;
    expect((await status(settings)).state).toBe('down');

    const found = await start(project);
    expect(found.state).toBe('ready');
    expect(found.processes.map(({ name, state }) => [name, state])).toEqual([
      ['server', 'ready'],
      ['light-1', 'ready'],
      ['light-2', 'ready'],
    ]);
    expect(await ensureStack(settings, testEnv, { plan })).toEqual({
      address: found.address,
      namespace: 'default',
      uiUrl: found.uiUrl,
    });
    expect((await fetch(found.uiUrl)).status).toBe(200);
    expect(await status(settings)).toMatchObject({ id: found.id, supervisorPid: found.supervisorPid });
    expect(statSync(stackPaths(settings.home).controlSocket).mode & 0o777).toBe(0o600);
    // The supervisor, the server and two workers, so that an empty list below means something.
    expect(processesIn(settings.home)).toHaveLength(4);

    expect(await down(settings)).toBe(true);
    expect(processesIn(settings.home)).toEqual([]);
    expect((await status(settings)).state).toBe('down');
    const paths = stackPaths(settings.home);
    for (const gone of [paths.state, paths.lock, paths.settings, paths.controlSocket])
      expect(existsSync(gone), gone).toBe(false);
    expect(existsSync(paths.database)).toBe(true);
    expect(await down(settings)).toBe(false);
  });

  it("is not started when settings name the user's own cluster", async () => {
    const project = newProject(['light'], {}, 'untouched');
    const cluster = { address: 'temporal.example:7233', namespace: 'team' };
    const settings = { ...project.settings, temporal: cluster };
    expect(await ensureStack(settings, testEnv)).toEqual(cluster);
    expect(await status(settings)).toEqual({ state: 'external', ...cluster });
    expect(existsSync(settings.home)).toBe(false);
  });

  it('works in a folder whose path is too long for a Unix socket', async () => {
    const project = newProject(['light'], {}, join('a'.repeat(60), 'b'.repeat(60)));
    expect((await start(project)).state).toBe('ready');
    const { controlSocket } = stackPaths(project.settings.home);
    expect(Buffer.byteLength(controlSocket)).toBeLessThanOrEqual(100);
    expect(statSync(controlSocket).mode & 0o777).toBe(0o600);
    await down(project.settings);
    expect(existsSync(controlSocket)).toBe(false);
    expect(processesIn(project.settings.home)).toEqual([]);
  });

  it('that cannot start says why', async () => {
    const failing = newProject(['light']);
    const plan = { ...failing.plan, supervisorMain: compiled('no-such-program.js') };
    await expect(ensureStack(failing.settings, testEnv, { plan })).rejects.toThrow(/ended at once[^]*no-such-program/);
    expect((await status(failing.settings)).state).toBe('down');

    const file = join(failing.settings.home, 'a-file');
    writeFileSync(file, '');
    const homeless = { ...failing.settings, home: join(file, 'home') };
    await expect(ensureStack(homeless, testEnv, { plan })).rejects.toThrow(/cannot be made: ENOTDIR/);
  });

  it('with a damaged database shows what the server said', async () => {
    const project = newProject(['light']);
    writeFileSync(stackPaths(project.settings.home).database, 'this is no database'.repeat(500));
    await expect(start(project)).rejects.toThrow(/The Temporal server keeps ending[^]*not a database/);
    await down(project.settings);
    expect(processesIn(project.settings.home)).toEqual([]);
  });
});
