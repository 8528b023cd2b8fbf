import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { exitCodes } from '../../plans/protocol/errors.js';
import { openProject, type Project, reviews } from '../support/project.js';
import { runCli } from '../support/run-cli.js';
import { startTemporalServer, type TestServer } from '../support/temporal-server.js';

/** `fermata worker` on a server of the user's own: a real one in a process of its own, which Fermata has not started. */

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const sql = "SELECT id FROM reviews WHERE AI_FILTER('bad? {text}') ORDER BY id";
let server: TestServer;
let project: Project;
const started: ChildProcess[] = [];

beforeAll(async () => {
  server = await startTemporalServer();
  project = await openProject({
    endpoint: { answer: ({ prompt }) => JSON.stringify({ answer: prompt.includes('bad film') }) },
    env: { TEMPORAL_ADDRESS: server.address },
  });
  await project.write('reviews.csv', reviews(6, { tag: 'worker' }));
});
afterAll(async () => {
  // Of a test that failed half way; workers whose parent is gone leave by themselves.
  for (const child of started) if (child.exitCode === null) child.kill('SIGKILL');
  await project.close();
  await server.stop();
});

interface Working {
  readonly child: ChildProcess;
  stderr(): string;
  /** Resolves when the text has been written. */
  until(text: RegExp): Promise<void>;
  /** Pids of the worker processes, by name, as their log lines give them. */
  pids(): ReadonlyMap<string, number>;
}

function work(...kinds: readonly string[]): Working {
  const child = spawn(process.execPath, [main, 'worker', ...kinds], {
    cwd: project.dir,
    env: project.env,
    stdio: ['ignore', 'inherit', 'pipe'],
  });
  started.push(child);
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  return {
    child,
    stderr: () => stderr,
    async until(text) {
      while (!text.test(stderr)) await Promise.race([once(child.stderr, 'data'), ended(child)]);
    },
    pids: () =>
      new Map(
        [...stderr.matchAll(/"process":"(workflow|cpu|inference)","pid":(\d+)/g)].map(([, name, pid]) => [
          name!,
          Number(pid),
        ]),
      ),
  };
}

async function ended(child: ChildProcess): Promise<never> {
  if (child.exitCode === null) await once(child, 'exit');
  throw new Error('the command has ended');
}

const alive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function stop({ child }: Working, signal: NodeJS.Signals): Promise<number | null> {
  const exit = once(child, 'exit') as Promise<[number | null]>;
  child.kill(signal);
  return (await exit)[0];
}

describe('a cluster of the user', () => {
  test('queries are answered while workers run; SIGTERM drains them and leaves nothing', async () => {
    const working = work();
    await Promise.all(
      ['workflow', 'cpu', 'inference'].map((name) => working.until(new RegExp(`${name} worker is ready`))),
    );
    const run = await runCli(project, 'query', sql, '--table', 'reviews=reviews.csv', '-o', 'csv');
    expect(run).toMatchObject({ code: exitCodes.ok, stdout: 'id\r\n0\r\n3\r\n' });
    expect(await readdir(`${project.dir}/.fermata`)).not.toContain('stack.json');

    for (const name of ['workflow', 'cpu', 'inference']) await working.until(new RegExp(`"process":"${name}","pid"`));
    const { cpu, ...pids } = Object.fromEntries(working.pids());
    process.kill(cpu!, 'SIGKILL');
    await working.until(/cpu worker is ready[^]*cpu worker is ready/);
    const again = await runCli(project, 'query', `${sql} DESC`, '--table', 'reviews=reviews.csv', '-o', 'csv');
    expect(again).toMatchObject({ code: exitCodes.ok, stdout: 'id\r\n3\r\n0\r\n' });

    await working.until(new RegExp(`"process":"cpu","pid":(?!${cpu!}\\b)`));
    const all = [...Object.values(pids), working.pids().get('cpu')!];
    expect(all.every(alive)).toBe(true);
    expect(await stop(working, 'SIGTERM')).toBe(exitCodes.ok);
    expect(all.filter(alive)).toEqual([]);
  });

  test('one kind alone, and Ctrl-C', async () => {
    const working = work('workflow');
    await working.until(/workflow worker is ready/);
    await working.until(/"process":"workflow","pid"/);
    expect([...working.pids().keys()]).toEqual(['workflow']);
    expect(await stop(working, 'SIGINT')).toBe(exitCodes.ok);
  });
});

test.each([
  ['without a cluster', { TEMPORAL_ADDRESS: undefined }, [], exitCodes.usage, /no Temporal cluster is named/],
  ['of a kind that there is not', {}, ['gpu'], exitCodes.usage, /Allowed choices are workflow, cpu, inference/],
])('refused at once: %s', async (_what, env, kinds, code, message) => {
  const run = await runCli({ ...project, env: { ...project.env, HOME: project.dir, ...env } }, 'worker', ...kinds);
  expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringMatching(message) as string });
});
