import { mkdtempSync, readdirSync, readFileSync, readlinkSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Settings } from '../../../workers/config/settings.js';
import type { RunningStatus } from '../../../workers/embedded/control-protocol.js';
import { compiled } from '../../../workers/embedded/package-root.js';
import { findServerBinary } from '../../../workers/embedded/server-binary.js';
import { down, status, up } from '../../../workers/embedded/stack.js';
import type { Environment } from '../../../workers/embedded/stack-fingerprint.js';
import { defaultStackPlan, type StackPlan, type StackTimings } from '../../../workers/embedded/stack-plan.js';

export type WorkerKind = 'light' | 'crashing' | 'deaf' | 'polling';

/** A project folder of its own, whose stack has stand-in workers and short pauses. */
export interface Project {
  readonly settings: Settings;
  readonly plan: StackPlan;
}

export function projectAt(home: string, kinds: readonly WorkerKind[], timings: Partial<StackTimings> = {}): Project {
  const settings: Settings = {
    projectDir: home,
    home,
    modelsDir: join(home, 'models'),
    store: { kind: 'local', dir: join(home, 'objects') },
    ledger: { kind: 'lmdb', dir: join(home, 'ledger') },
    models: {
      hosted: {
        kind: 'openai',
        model: 'any',
        task: 'chat',
        baseUrl: 'http://127.0.0.1:9/v1',
        apiKeyEnv: 'TEST_KEY',
        timeoutMs: 1_000,
        omit: [],
        jsonSchema: true,
        modalities: ['text'],
        limits: { concurrency: 1 },
      },
    },
    defaults: { llm: 'hosted', embedder: 'hosted' },
    limits: { confirmAboveUsd: 1, maxErrorRatio: 0.1 },
  };
  const plan: StackPlan = {
    ...defaultStackPlan,
    workers: kinds.map((kind, index) => ({
      name: `${kind}-${index + 1}`,
      main: compiled(`test/workers/embedded/${kind}-worker.js`),
    })),
    timings: {
      ...defaultStackPlan.timings,
      firstPauseMs: 50,
      longestPauseMs: 400,
      crashLoopAfter: 3,
      workerStopMs: 1_500,
      housekeepingMs: 200,
      ...timings,
    },
  };
  return { settings, plan };
}

const opened: { readonly root: string; readonly project: Project }[] = [];

/** @param under - folders between the temporary folder and the state of the stack */
export function newProject(kinds: readonly WorkerKind[], timings: Partial<StackTimings> = {}, under = ''): Project {
  const root = mkdtempSync(join(tmpdir(), 'fermata-stack-'));
  const project = projectAt(join(root, under), kinds, timings);
  opened.push({ root, project });
  return project;
}

/** Stops all stacks of the test file and removes their folders. */
export async function closeProjects(): Promise<void> {
  for (const { root, project } of opened.splice(0)) {
    await down(project.settings);
    rmSync(root, { recursive: true, force: true });
  }
}

/** The environment of this test run, with the server binary looked up once. */
export const testEnv: Environment = {
  ...process.env,
  TEST_KEY: 'key-one-9d1c',
  TEMPORAL_CLI_PATH: (await findServerBinary({ env: process.env })).path,
};

/** `up` that must give a running embedded stack. */
export async function start(project: Project, env: Environment = testEnv): Promise<RunningStatus> {
  return embedded(await up(project.settings, env, { plan: project.plan }));
}

export async function running(project: Project): Promise<RunningStatus> {
  return embedded(await status(project.settings));
}

function embedded(found: Awaited<ReturnType<typeof status>>): RunningStatus {
  if ('processes' in found) return found;
  throw new Error(`expected a running stack, found ${found.state}`);
}

export function pidOf(found: RunningStatus, name: string): number {
  const pid = found.processes.find((process) => process.name === name)?.pid;
  if (pid === undefined) throw new Error(`${name} does not run`);
  return pid;
}

/** Command lines of all processes that work in the folder of a project, whoever started them. */
export function processesIn(home: string): string[] {
  const place = realpathSync(home);
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        if (readlinkSync(`/proc/${pid}/cwd`) !== place) return [];
        return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`];
      } catch {
        return [];
      }
    });
}

/** Waits until `check` gives something true; fails with the name of what was waited for. */
export async function eventually<T>(what: string, check: () => T | Promise<T>): Promise<NonNullable<T>> {
  const deadline = performance.now() + 20_000;
  for (;;) {
    const found = await check();
    if (found) return found;
    if (performance.now() > deadline) throw new Error(`never happened: ${what}`);
    await sleep(40);
  }
}
