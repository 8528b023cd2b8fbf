import { spawn } from 'node:child_process';
import { rmSync } from 'node:fs';
import { afterAll, describe, expect, it } from 'vitest';
import { identify, isAlive } from '../../../workers/embedded/process-identity.js';
import { down, status } from '../../../workers/embedded/stack.js';
import { makeHome, stackPaths, writeState } from '../../../workers/embedded/stack-state.js';
import { closeProjects, eventually, newProject, pidOf, processesIn, running, start } from './project.js';

afterAll(closeProjects);

describe('SIGKILL', () => {
  it('of the supervisor: workers leave, the next start takes over cleanly, also from a worker that does not leave', async () => {
    const project = newProject(['light', 'deaf']);
    const { settings } = project;
    const before = await start(project);
    process.kill(before.supervisorPid, 'SIGKILL');
    await eventually('the worker has left', () => processesIn(settings.home).length === 2);
    expect(await status(settings)).toMatchObject({
      state: 'stale',
      leftovers: [`server (pid ${pidOf(before, 'server')})`, `deaf-2 (pid ${pidOf(before, 'deaf-2')})`],
    });

    const after = await start(project);
    expect(after.id).not.toBe(before.id);
    expect(after.address).toBe(before.address);
    expect(processesIn(settings.home)).toHaveLength(4);
    await down(settings);
    expect(processesIn(settings.home)).toEqual([]);
  });

  it('of the supervisor: `down` ends what is left', async () => {
    const project = newProject(['light']);
    process.kill((await start(project)).supervisorPid, 'SIGKILL');
    await eventually('the stack is stale', async () => (await status(project.settings)).state === 'stale');
    expect(await down(project.settings)).toBe(true);
    expect(processesIn(project.settings.home)).toEqual([]);
    expect((await status(project.settings)).state).toBe('down');
  });
});

describe('a process that is not ours', () => {
  it('is left alone when it has the pid of one that was', async () => {
    const { settings } = newProject([]);
    const innocent = spawn('sleep', ['60'], { stdio: 'ignore' });
    const recorded = identify(innocent.pid!)!;
    const paths = stackPaths(settings.home);
    makeHome(paths);
    const changed = [
      { ...recorded, start: `${recorded.start}0` },
      { ...recorded, command: 'temporal server start-dev' },
    ];
    for (const identity of changed) {
      writeState(paths, {
        format: 1,
        id: 'dead',
        host: 'here',
        supervisor: identity,
        controlSocket: paths.controlSocket,
        ports: { grpc: 20_001, ui: 20_002, http: 20_003, metrics: 20_004 },
        processes: { server: identity },
      });
      expect(await status(settings)).toMatchObject({ state: 'stale', leftovers: [] });
      expect(await down(settings)).toBe(true);
      expect(isAlive(recorded)).toBe(true);
    }
    innocent.kill('SIGKILL');
  });
});

describe('a project folder that is deleted', () => {
  it('takes its stack with it', async () => {
    const project = newProject(['light']);
    const { supervisorPid } = await start(project);
    const supervisor = identify(supervisorPid)!;
    const others = (await running(project)).processes.map(({ pid }) => identify(pid!)!);
    rmSync(project.settings.home, { recursive: true });
    await eventually('all are gone', () => ![supervisor, ...others].some(isAlive));
  });
});
