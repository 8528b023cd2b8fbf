import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Client, Connection } from '@temporalio/client';
import { afterAll, describe, expect, it } from 'vitest';
import { compiled } from '../../../workers/embedded/package-root.js';
import { down, status } from '../../../workers/embedded/stack.js';
import { closeProjects, newProject, pidOf, processesIn, start, testEnv } from './project.js';

afterAll(closeProjects);

describe('a stack', () => {
  it('has the search attributes of the workflows, also after a second start on the same database', async () => {
    const project = newProject([]);
    for (let round = 0; round < 2; round++) {
      const { address } = await start(project);
      const connection = await Connection.connect({ address });
      const known = await connection.operatorService.listSearchAttributes({ namespace: 'default' });
      await connection.close();
      expect(Object.keys(known.customAttributes)).toEqual(
        expect.arrayContaining(Object.keys(project.plan.searchAttributes)),
      );
      await down(project.settings);
    }
  });

  it('is one, when three processes start it at once', async () => {
    const { settings } = newProject(['light']);
    const program = compiled('test/workers/embedded/up-program.js');
    const runs = Array.from({ length: 3 }, () =>
      promisify(execFile)(process.execPath, [program, settings.home, 'light'], { env: { ...testEnv } }),
    );
    const ids = (await Promise.all(runs)).map(({ stdout }) => stdout.trim());
    expect(new Set(ids).size).toBe(1);
    expect(await status(settings)).toMatchObject({ id: ids[0], state: 'ready' });
    expect(processesIn(settings.home)).toHaveLength(3);
  });

  it('does not meet the stack of another project', async () => {
    const [one, other] = [newProject(['light']), newProject(['light'])];
    const [first, second] = await Promise.all([start(one), start(other)]);
    expect(first.address).not.toBe(second.address);
    expect(first.uiUrl).not.toBe(second.uiUrl);

    const connections = await Promise.all([first, second].map(({ address }) => Connection.connect({ address })));
    const [mine, theirs] = connections.map((connection) => new Client({ connection }));
    await mine!.workflow.start('unserved', { taskQueue: 'nobody', workflowId: 'only-in-one' });
    await expect(theirs!.workflow.getHandle('only-in-one').describe()).rejects.toThrow(/not found/i);

    await down(one.settings);
    expect(processesIn(one.settings.home)).toEqual([]);
    expect((await theirs!.workflowService.getSystemInfo({})).serverVersion).toBeTruthy();
    expect(pidOf(second, 'server')).toBe(pidOf(await start(other), 'server'));
    await Promise.all(connections.map((connection) => connection.close()));
  });
});
