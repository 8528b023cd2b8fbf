import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { Client, Connection } from '@temporalio/client';
import { afterAll, describe, expect, it } from 'vitest';
import { closeProjects, eventually, newProject, pidOf, running, start } from './project.js';

afterAll(closeProjects);

describe('SIGKILL', () => {
  it('of the server: it is back on the same port, and what it knew is still there', async () => {
    const project = newProject(['light']);
    const before = await start(project);
    const connection = await Connection.connect({ address: before.address });
    const { workflow } = new Client({ connection });
    await workflow.start('unserved', { taskQueue: 'nobody', workflowId: 'w', args: ['kept'] });

    process.kill(pidOf(before, 'server'), 'SIGKILL');
    const after = await eventually('the server is back', async () => {
      const now = await running(project);
      return now.state === 'ready' && pidOf(now, 'server') !== pidOf(before, 'server') ? now : undefined;
    });
    expect(after.address).toBe(before.address);
    expect(after.uiUrl).toBe(before.uiUrl);
    expect(after.processes[0]).toMatchObject({ restarts: 1, lastExit: 'signal SIGKILL' });
    expect(pidOf(after, 'light-1')).toBe(pidOf(before, 'light-1'));
    const history = await eventually('the server answers', () =>
      workflow
        .getHandle('w')
        .fetchHistory()
        .catch(() => undefined),
    );
    expect(history.events?.[0]?.workflowExecutionStartedEventAttributes?.workflowType?.name).toBe('unserved');
    await connection.close();
  });

  it('of a worker: it alone is started again', async () => {
    const project = newProject(['light', 'light']);
    const before = await start(project);
    process.kill(pidOf(before, 'light-2'), 'SIGKILL');
    const after = await eventually('the worker is back', async () => {
      const now = await running(project);
      return now.state === 'ready' && pidOf(now, 'light-2') !== pidOf(before, 'light-2') ? now : undefined;
    });
    expect(after.processes.map(({ restarts }) => restarts)).toEqual([0, 0, 1]);
    for (const name of ['server', 'light-1']) expect(pidOf(after, name)).toBe(pidOf(before, name));
  });
});

describe('a port taken by another program', () => {
  it('makes the server and its workers move, instead of meeting the stranger', async () => {
    const project = newProject(['light'], { firstPauseMs: 500 });
    const before = await start(project);
    const port = Number(before.address.split(':')[1]);
    process.kill(pidOf(before, 'server'), 'SIGKILL');
    const stranger = createServer((socket) => socket.end());
    await eventually('the stranger has the port', async () => {
      return new Promise<boolean>((resolve) => {
        stranger.once('error', () => resolve(false));
        stranger.listen(port, '127.0.0.1', () => resolve(true));
      });
    });
    const after = await eventually('the stack has moved', async () => {
      const now = await running(project);
      return now.state === 'ready' && now.address !== before.address ? now : undefined;
    });
    const log = after.processes.find(({ name }) => name === 'light-1')!.log;
    expect(readFileSync(log, 'utf8').trim().split('\n').at(-1)).toContain(`address=${after.address}`);
    const connection = await Connection.connect({ address: after.address });
    await connection.close();
    stranger.close();
  });
});
