import { readFileSync } from 'node:fs';
import { Client, Connection } from '@temporalio/client';
import { afterAll, describe, expect, it } from 'vitest';
import { down } from '../../../workers/embedded/stack.js';
import { closeProjects, eventually, newProject, pidOf, processesIn, start } from './project.js';

afterAll(closeProjects);

describe('worker processes', () => {
  it('of the real boilerplate serve, drain on `down`, and log JSON lines', async () => {
    const project = newProject(['polling'], { workerStopMs: 20_000 });
    const found = await start(project);
    const connection = await Connection.connect({ address: found.address });
    const client = new Client({ connection });
    const answer = await client.activity.execute('echo', {
      id: 'one',
      taskQueue: 'stand-in',
      startToCloseTimeout: '10 s',
      args: ['hello'],
    });
    expect(answer).toBe('hello');
    await connection.close();
    await down(project.settings);
    expect(processesIn(project.settings.home)).toEqual([]);
    const log = readFileSync(found.processes[1]!.log, 'utf8').trim().split('\n');
    const lines = log.map((line) => JSON.parse(line) as { level: string; process: string; msg: string });
    expect(lines.every(({ process }) => process === 'polling-1')).toBe(true);
    expect(lines.map(({ msg }) => msg)).toEqual(expect.arrayContaining(['ready', 'drained and closed']));
  });

  it('of the real boilerplate leave when the supervisor was killed, and come back with the next start', async () => {
    const project = newProject(['polling']);
    const before = await start(project);
    process.kill(before.supervisorPid, 'SIGKILL');
    await eventually('only the server is left', () => processesIn(project.settings.home).length === 1);
    const after = await start(project);
    expect(pidOf(after, 'polling-1')).not.toBe(pidOf(before, 'polling-1'));
    await down(project.settings);
    expect(processesIn(project.settings.home)).toEqual([]);
  });
});
