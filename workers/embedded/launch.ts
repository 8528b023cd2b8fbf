import { spawn, type ChildProcess } from 'node:child_process';
import { closeSync } from 'node:fs';
import { FermataError } from '../../plans/protocol/errors.js';
import type { Settings } from '../config/settings.js';
import type { Launch } from './control-protocol.js';
import type { ServerPorts } from './free-ports.js';
import { lastLines, logSize, openLog } from './log-files.js';
import { packageVersion } from './package-root.js';
import { findServerBinary } from './server-binary.js';
import type { Environment } from './stack-fingerprint.js';
import type { StackPlan } from './stack-plan.js';
import { logFile, type StackPaths } from './stack-state.js';

export interface LaunchOptions {
  readonly paths: StackPaths;
  readonly settings: Settings;
  readonly fingerprint: string;
  readonly plan: StackPlan;
  readonly env: Environment;
  readonly previousPorts: ServerPorts | undefined;
  readonly onProgress: ((message: string) => void) | undefined;
}

/**
 * Finds the server binary and starts a supervisor that outlives this process. Returns once it can be controlled.
 *
 * @throws FermataError `ServerBinaryMissing`; `StackFailed` with the last lines of its log when it ends at once
 */
export async function launchSupervisor(options: LaunchOptions): Promise<void> {
  const { paths, settings, fingerprint, plan, env, previousPorts, onProgress } = options;
  const binary = await findServerBinary({ env, ...(onProgress === undefined ? {} : { onProgress }) });
  onProgress?.('starting the Temporal server and the workers');
  const log = logFile(paths, 'supervisor');
  const logFrom = logSize(log);
  const child = spawnSupervisor(plan.supervisorMain, paths, env);
  const launch: Launch = {
    home: paths.home,
    fingerprint,
    settings: { ...settings },
    serverBinary: binary.path,
    versions: { fermata: packageVersion(), node: process.versions.node, temporal: binary.version },
    ...(previousPorts === undefined ? {} : { previousPorts }),
    plan,
  };
  if (!(await accepts(child, launch))) {
    throw new FermataError(
      'StackFailed',
      ['The supervisor of the stack ended at once.', ...lastLines(log, 15, logFrom)].join('\n'),
      { hint: `Its log is ${log}.` },
    );
  }
  child.unref();
}

function spawnSupervisor(main: string, paths: StackPaths, env: Environment): ChildProcess {
  const descriptor = openLog(logFile(paths, 'supervisor'));
  try {
    return spawn(process.execPath, ['--enable-source-maps', main], {
      detached: true,
      cwd: paths.home,
      env: { ...env },
      stdio: ['ignore', descriptor, descriptor, 'ipc'],
      windowsHide: true,
    });
  } finally {
    closeSync(descriptor);
  }
}

async function accepts(child: ChildProcess, launch: Launch): Promise<boolean> {
  return new Promise((resolve) => {
    child.once('message', () => resolve(true));
    child.once('exit', () => resolve(false));
    child.once('error', () => resolve(false));
    child.send(launch);
  });
}
