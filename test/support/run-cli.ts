import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Project } from './project.js';

const main = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the built `fermata` command as a process of its own in a project. */
export async function runCli(project: Project, ...args: readonly string[]): Promise<CliRun> {
  const child = spawn(process.execPath, [main, ...args], {
    cwd: project.dir,
    env: project.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'close') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  return { code, stdout, stderr };
}
